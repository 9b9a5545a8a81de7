// The end of a group: its processes and its directories. All of it works on paths, so that a process which
// didn't create the group can do it too, after the one that did was killed.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/ids.h"

namespace ctr::cgroup {

// The processes in a group and in all groups below it, as this process's pid namespace numbers them. A
// directory that is gone has none.
Result<std::vector<HostPid>> processes_in(const std::string& directory);

// Kills them all (SIGKILL), but for the caller, until none is left, those forked meanwhile included. For
// groups without cgroup.kill. Gives up with an error after 10 seconds.
Status kill_processes(const std::string& directory);

// Removes groups with all groups below them. Those that are gone already are no error. The kernel says EBUSY
// while processes that were killed are still on their way out: that is waited for, 2 seconds at most. Every
// directory is tried; the first error is returned.
Status remove_directories(const std::vector<std::string>& directories);

}  // namespace ctr::cgroup
