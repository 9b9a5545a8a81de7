// What the linker left in an image: its symbols, and the addresses that are written into its data when it is
// loaded.
#pragma once

#include <vector>

#include "pidns/image/elf.h"

namespace ctr::pidns::image {

struct Links {
    std::vector<Address> functions;  // symbols that are surely code
    std::vector<Address> others;     // other symbols, and everything that relocations could let a word become
};

Links read_links(const Elf& elf);

}  // namespace ctr::pidns::image
