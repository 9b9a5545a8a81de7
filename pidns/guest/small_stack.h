// Calls on stacks that may be small, as Go's are: the guest uses no more than there surely is.
#pragma once

#include <cstdint>

#include "pidns/guest/frame_offsets.h"

namespace ctr::pidns::guest {

// What becomes of a call (entry.S, prepare).
enum class SmallStackWay : uint32_t {
    monitor,            // it goes there
    pass = WAY_PASS,    // it is made with the mark
    serve = WAY_SERVE,  // here, as on a stack of the usual size
};

// Whether there is room for serving a call below an address on the stack in use, as far as Go tells its own.
bool has_room(uint64_t stack);

}  // namespace ctr::pidns::guest
