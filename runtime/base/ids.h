// Process numbers as types, so that a number of the host can never be used where one of a container is meant.
// Freestanding: included by the numbering model, which also runs inside workloads.
#pragma once

namespace ctr {

// A process (or thread, group, session) number as the kernel of this host, in the monitor's namespace, knows
// it.
enum class HostPid : int { none = 0 };

// A number inside a container. 0 means "cannot be seen from there", as in the kernel.
enum class VirtPid : int { none = 0, init = 1 };

constexpr int raw(HostPid p) {
    return static_cast<int>(p);
}
constexpr int raw(VirtPid p) {
    return static_cast<int>(p);
}

}  // namespace ctr
