// The thunks of an image: for each patched site the code between its jump and the guest.
#pragma once

#include <vector>

#include "pidns/guest/header.h"
#include "pidns/image/assembler.h"
#include "pidns/image/near_code.h"
#include "pidns/image/sites.h"

namespace ctr::pidns::image {

struct Thunks {
    std::vector<std::byte> bytes;  // to stand where make_thunks() was told
    std::vector<Piece> pieces;     // jumps at the sites, and near code
    std::vector<Range> waiting;    // where the way back is in rcx already
};

// GUEST is the address of the guest's header, PLACE that of the first thunk.
Thunks make_thunks(const Elf& elf, const Flow& flow, const Survey& survey, const GuestHeader& header,
                   Address guest, Address place);

}  // namespace ctr::pidns::image
