// The parent half of a launch: creates the container's first process and brings it to its command (channel.h
// draws how).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/fd.h"
#include "runtime/base/ids.h"
#include "runtime/command_end.h"
#include "runtime/plan.h"

namespace ctr {

// The command runs, or has run already. The caller has to reap it.
struct Launched {
    HostPid pid = HostPid::none;
    Fd pidfd;
    Fd listener;                     // of the plan's filter; absent without one
    Fd terminal;                     // the outer end of its terminal; absent without one
    bool in_cgroup = false;          // it was born there
    std::vector<std::string> notes;  // what steps could not do, and did without
    // The same as pid, or the child of an init, which may have ended since; none: it can't be seen from here.
    HostPid command = HostPid::none;
    std::optional<CommandEnd> end;  // of the command of an init; absent without one
};

// What has to be done with the process while it does nothing yet, such as joining the cgroups that it wasn't
// born in. An error ends the launch.
using BeforeGo = std::function<Status(const Launched&)>;

// Blocks until the command has been executed. The calling thread is the parent: when it ends, the kernel
// kills the command. The caller keeps signals blocked around the call, so that no handler of its runs in the
// child; the child unblocks and resets them. On error no process is left. Errors carry 127 when the command
// isn't there, 126 when it can't be executed, and the likely cause (explain.h). CGROUP: a directory of cgroup
// v2 that the process is to be born in, where the kernel does that (CLONE_INTO_CGROUP): moving it later would
// make the whole system wait for a moment.
Result<Launched> launch(const Plan& plan, const BeforeGo& before_go, const Fd& cgroup = {});

}  // namespace ctr
