// The supervisor: a process between the keeper and the container's init. It creates init, numbers the container's
// processes (flat mode) and ends whatever is left when init ends, or when the keeper does.
#pragma once

#include "cgroup/group.h"
#include "runtime/base/fd.h"
#include "runtime/base/ids.h"
#include "runtime/plan.h"

namespace ctr {

// Runs in the process that the keeper forked for it and never returns. Reports go to `reports`. group: the keeper's,
// may be null; the supervisor removes its directories only when the keeper is gone.
[[noreturn]] void supervise(const Plan& plan, const cgroup::Group* group, Fd reports, HostPid keeper);

}  // namespace ctr
