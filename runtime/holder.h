// A container's monitor, found without its help: for those that don't answer any more.
#pragma once

#include <optional>

#include "runtime/base/fd.h"
#include "runtime/base/ids.h"
#include "runtime/registry.h"

namespace ctr {

struct Holder {
    HostPid process = HostPid::none;
    Fd pidfd;
    char state = '?';  // as in /proc/PID/stat

    bool stopped() const { return state == 'T' || state == 't'; }
};

// The process called as monitors are that has the entry's lock open, which no workload ever has. Nothing: it
// has gone, or may not be looked at.
std::optional<Holder> find_monitor(const Entry& entry);

}  // namespace ctr
