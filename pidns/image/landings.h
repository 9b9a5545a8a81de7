// Every address of an image's code at which control may arrive other than from the instruction before: what
// is jumped to, and what could be, by everything that is known of how compilers and linkers write addresses
// down. A window of instructions can be replaced only if there is none inside.
#pragma once

#include "pidns/image/code.h"
#include "pidns/image/links.h"
#include "pidns/image/unwind_facts.h"

namespace ctr::pidns::image {

struct Landings {
    AddressSet all;
    AddressSet indirect;  // those that something else than a direct branch may lead to
};

// Fails if the image has more tables of jumps than any real one.
Result<Landings> find_landings(const Elf& elf, const Code& code, const Links& links,
                               const UnwindFacts& unwind);

}  // namespace ctr::pidns::image
