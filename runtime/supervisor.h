// The supervisor: a process between the keeper and the container's init. It creates init, numbers the
// container's processes (flat mode) and ends whatever is left when init ends, or when the keeper does.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/base/fd.h"
#include "runtime/base/ids.h"
#include "runtime/facts.h"
#include "runtime/limiting.h"
#include "runtime/plan.h"
#include "runtime/registry.h"
#include "runtime/spec.h"
#include "runtime/terminal.h"

namespace ctr {

// The name by which a supervisor can be told from other processes.
inline constexpr const char* monitor_name = "ctr-monitor";

// What the supervisor needs to know about the container's cgroup. The keeper knows it too, so that whichever
// of the two is killed at whatever moment, the other can remove what was created.
struct CgroupPlan {
    std::string name;                         // empty: the container has none
    std::vector<cgroup::Controller> counted;  // of v1, beside those of the limits: not indispensable
    std::vector<std::string> directories;     // all that may come to exist
    std::vector<std::string> freezers;        // of these, those of which one holds the processes together
};

// Where the container is written down, and the socket through which it can be reached.
struct Registered {
    Registry registry;
    Entry entry;
    Fd listening;
};

// Everything that a supervisor is to do.
struct Task {
    Spec spec;
    HostFacts facts;
    Plan plan;
    Limiting limiting;
    CgroupPlan cgroup;
    std::optional<Registered> registered;
};

// Ends whatever is below this process, frozen or not, as end_descendants does (teardown.h).
void end_processes(const CgroupPlan& cgroup, const std::set<pid_t>& spared = {});

// Runs in the process that the keeper forked for it and never returns. Reports go to `reports`. OUTER is the
// terminal that the keeper sets, put back here if the keeper is killed.
[[noreturn]] void supervise(Task& task, Fd reports, HostPid keeper,
                            const std::optional<terminal::Modes>& outer);

}  // namespace ctr
