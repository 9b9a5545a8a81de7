// The program headers of an instrumented image: a new segment behind the last, and the room for it in the
// table.
#pragma once

#include <vector>

#include "pidns/image/elf.h"

namespace ctr::pidns::image {

struct Layout {
    std::vector<Elf64_Phdr> segments;  // as many as before
    size_t guest = 0;                  // which of them is the new one; its sizes are still 0
    bool spare = false;                // one more could be added: the last is PT_NULL
    int mappings = 0;                  // by how many more are loaded than before

    Elf64_Phdr& guest_segment() { return segments[guest]; }
};

// Header, code and read-only data that lie one behind the other in the file and in memory become one segment,
// as linkers made them until 2018: that frees their places in the table, and each mapping less makes forks
// cheaper. Where nothing can be merged, the new segment takes the place of a note.
Result<Layout> lay_out(const Elf& elf);

}  // namespace ctr::pidns::image
