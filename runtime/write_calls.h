// The calls by which a program writes to a file, and how much each asks for: as the write gate (write_gate.h)
// sees them when they have trapped.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pidns/monitor/listener.h"

namespace ctr::write_calls {

// Those that a filter has to watch.
std::span<const long> watched();

// Those that such a container can't be let have, because what they do passes by every filter.
std::span<const long> absent();

// What a call wants to write to one descriptor of its own.
struct Transfer {
    int fd = -1;
    uint64_t bytes = 0;
    uint64_t operations = 0;
};

// Nothing is waited for: the parts of a writev that aren't in memory at that moment count as one MiB,
// requests of io_submit that aren't as nothing. (A program has just written them; who takes care that they
// aren't there could as well exchange them after the look.) The notification must be checked for validity
// afterwards.
std::vector<Transfer> transfers(const pidns::Trap& trap);

// What a call that can't be reckoned gets for an answer (a negative errno), where its descriptor is a file on
// a limited device: one that the kernel itself gives, and at which programs take to plain reads and writes.
// 0: it can be reckoned.
long refusal(const pidns::Trap& trap);

}  // namespace ctr::write_calls
