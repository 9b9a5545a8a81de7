// Numbers of the program into the host's, and back. Freestanding.
#pragma once

#include <optional>

#include "pidns/guest/numbers.h"
#include "pidns/surface/kinds.h"

namespace ctr::pidns::guest {

constexpr uint64_t extend(int value) {
    return static_cast<uint64_t>(static_cast<int64_t>(value));
}

// Nothing: it is nobody's number, or a thread's, or of a kind that isn't served here; the monitor knows more.
std::optional<int> inward(const Self& self, Kind kind, int number, int selector);

// What the kernel has written. 0: it can't be seen.
int outward(const Self& self, Kind kind, int host, int selector);

}  // namespace ctr::pidns::guest
