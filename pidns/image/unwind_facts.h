// What an image's unwind tables (.eh_frame, .gcc_except_table) say about its code.
#pragma once

#include <vector>

#include "pidns/image/elf.h"

namespace ctr::pidns::image {

// A pointer in .eh_frame that is relative to its own place.
struct RelativePointer {
    Address place = 0;
    uint8_t form = 0;  // encoding::form
};

struct UnwindFacts {
    Range entries;  // .eh_frame, without its end mark; empty: there is none
    std::vector<RelativePointer> relative;

    std::vector<Address> functions;     // beginnings; each has an entry in .eh_frame
    std::vector<Range> described;       // the code of these functions
    std::vector<Address> landing_pads;  // where exceptions go on
};

// Broken tables give fewer facts.
UnwindFacts read_unwind_facts(const Elf& elf);

// Where .eh_frame begins; 0: there is none.
Address find_unwind_entries(const Elf& elf);

}  // namespace ctr::pidns::image
