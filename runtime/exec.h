// Another command in a container that runs already.
//
//   supervisor --- starter --- the command
//        |                        |
//        `------ its parent ------'
//
// The starter, a fork of the supervisor, enters the container's cgroups and namespaces and launches the
// command as it would launch an init, but as the supervisor's child (CLONE_PARENT), so that it is ended with
// the container; then it is gone. What takes time takes the starter's.
#pragma once

#include <sys/resource.h>

#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/fd.h"
#include "runtime/control.h"
#include "runtime/plan.h"

namespace ctr {

struct ExecPlace {
    int process = -1;                  // pidfd of the one whose namespaces are entered
    uint64_t namespaces = 0;           // CLONE_NEW*: that it doesn't share with the supervisor
    std::vector<std::string> cgroups;  // that it is in
    rlimit descriptors{};              // RLIMIT_NOFILE of the container, which isn't the supervisor's
};

// Where Started or Failed will be received (report.h). Blocks for a fork only.
Result<Fd> start_exec(const Plan& plan, const ExecPlace& place, Order order);

}  // namespace ctr
