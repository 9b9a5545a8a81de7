// How a Spec is carried out on this host: an immutable list of named steps, made before any process exists
// and executed by the child (child.h) in order. Plans are compared and printed in tests; only execution has
// effects.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pidns/monitor/options.h"
#include "runtime/action.h"
#include "runtime/base/error.h"
#include "runtime/exec_spec.h"
#include "runtime/facts.h"
#include "runtime/shared.h"
#include "runtime/spec.h"

namespace ctr {

struct Plan {
    Shared shared;                // whose namespaces are joined before new ones are made
    uint64_t clone_flags = 0;     // CLONE_NEW*, CLONE_PARENT
    std::vector<IdMapping> uids;  // of the new user namespace, where the child can't map it; else empty
    std::vector<IdMapping> gids;
    std::vector<Step> steps;  // executed by the child in order, after "go"; the last one is Execute
    std::vector<std::string> argv;
    std::vector<std::string> env;  // "K=V"
    bool numbered = false;         // there is a monitor that numbers processes
    std::span<const sock_filter>
        filter;  // the pid layer's, if there is a monitor, or the write gate's, or none
    std::vector<sock_filter> own_filter;  // what filter shows where the constant won't do
    seccomp::Program profile;             // empty: any system call may be made
    cgroup::Limits limits;                // of the container's control group, made by the parent
    pidns::MonitorOptions monitor;        // for flat and multi
    std::vector<std::string> warnings;    // of what is not as one may expect
};

// Decides everything that can be decided without acting. Pure, but for opening the root directory, whose
// identity the plan holds, for reading whether it is there, and for reading a seccomp profile. The result is
// move-only and may outlive the facts. PLACEMENTS come from fastpath::prepare, SHARED from look_at_shared.
//
// The order of the steps, and why:
//   ids of a new user namespace   before anything that creates a file (unmapped ids can't own one)
//   mounts, hostname, network     with all capabilities of the namespace
//   terminal, resource limits     on the final /dev, while its owner may be changed and limits raised
//   bounding set, ids             while CAP_SETPCAP, CAP_SETGID and CAP_SETUID are still there
//   capabilities                  CAP_SYS_ADMIN stays until the filter is in, if there is no no_new_privs
//   directory, command, signals   as the user that the command will be
//   filter, profile               last, so that they need to know nothing of the steps before
Result<Plan> make_plan(const Spec& spec, const HostFacts& facts,
                       std::vector<action::Placement> placements = {}, Shared shared = {});

// How another command is executed in a container that runs already, by a process that is in its namespaces
// and cgroups. SPEC and FACTS: the container's, as for make_plan; CONTAINER: the plan made of them.
Result<Plan> make_exec_plan(const Spec& spec, const HostFacts& facts, const Plan& container,
                            const ExecSpec& exec);

// CLONE_NEW*: the namespaces that the plan's process will have made or joined, and its maker is not in.
uint64_t namespaces_of(const Plan& plan);

// The plan's processes can't write without the write gate: their filter watches the calls that write.
void watch_writes(Plan& plan);

// One line for the namespaces, then one a step.
std::string describe(const Plan& plan);

}  // namespace ctr
