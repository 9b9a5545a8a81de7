// The unwind table (.eh_frame_hdr, .eh_frame) of an instrumented image: the original's entries, and one for
// each piece of new code in which a thread may be found when exceptions, cancellation or a backtrace pass
// through.
#pragma once

#include <optional>
#include <vector>

#include "pidns/guest/header.h"
#include "pidns/image/unwind_facts.h"

namespace ctr::pidns::image {

struct NewCode {
    Range guest;                // unwound as the header says
    std::vector<Range> thunks;  // the way back is in rcx, and the stack is the site's
};

struct UnwindTable {
    std::vector<std::byte> bytes;  // the table, then what it points to
    uint64_t entries = 0;          // offset of the latter
    bool complete = false;         // the latter are all entries of the image; else the new ones only
};

// To be put at PLACE, a multiple of 8. Nothing: the original's has a form that isn't known; it stays as it
// is.
std::optional<UnwindTable> extend_unwind_table(const Elf& elf, const UnwindFacts& facts, Address place,
                                               const NewCode& code, const GuestHeader& guest);

}  // namespace ctr::pidns::image
