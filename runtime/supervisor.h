// The supervisor: a process between the keeper and the container's init. It creates init, numbers the
// container's processes (flat mode) and ends whatever is left when init ends, or when the keeper does.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/limits.h"
#include "runtime/base/error.h"
#include "runtime/base/fd.h"
#include "runtime/base/ids.h"
#include "runtime/plan.h"
#include "runtime/terminal.h"

namespace ctr {

// The name by which a supervisor can be told from other processes.
inline constexpr const char* monitor_name = "ctr-monitor";

// What the supervisor needs to know about the container's cgroup. The keeper knows it too, so that whichever
// of the two is killed at whatever moment, the other can remove what was created.
struct CgroupPlan {
    std::string name;  // empty: the container has none
    cgroup::Limits limits;
    std::vector<std::string> directories;  // all that may come to exist
};

// Makes the plan of a container without namespaces (isolation.h), for which the host has refused them. Empty:
// it can't do without.
using PlanWithout = std::function<Result<Plan>(const Error& refusal)>;

// Runs in the process that the keeper forked for it and never returns. Reports go to `reports`. OUTER is the
// terminal that the keeper sets, put back here if the keeper is killed.
[[noreturn]] void supervise(const Plan& plan, const PlanWithout& without, const CgroupPlan& cgroup,
                            Fd reports, HostPid keeper, const std::optional<terminal::Modes>& outer);

}  // namespace ctr
