// Where a fork's child comes back. A page that only the child touches costs a fault, so it should run beside
// the fork's site: in the filler between functions, which is there already. Filler comes in pieces of 15
// bytes or less, so the code is cut into pieces that jump from one to the next.
#pragma once

#include <vector>

#include "pidns/image/assembler.h"

namespace ctr::pidns::image {

// Bytes to write over the image's.
struct Piece {
    Address address = 0;
    std::vector<std::byte> bytes;
};

class Fillers {
  public:
    // Only filler into which nothing jumps.
    explicit Fillers(const Flow& flow);

    // The code of a site whose child goes on at BACK and whose parent at CREATED. Empty: there is too little
    // filler. The child enters at the first piece.
    std::vector<Piece> near_code(Address site, Address back, Address created);

  private:
    struct Filler {
        Range range;
        bool used = false;
    };
    Filler* nearest(Address site, uint64_t size);

    std::vector<Filler> fillers_;
};

// The same in one piece, where there is room.
void add_near_code(Assembler& assembler, Address back, Address created);

}  // namespace ctr::pidns::image
