// Ends whatever a container has left, without a pid namespace or a cgroup to name it: the calling process is
// a child subreaper, so every descendant is found below it, and the children of whoever is killed become its
// own.
#pragma once

#include <sys/types.h>

#include <set>

#include "runtime/base/ids.h"

namespace ctr {

// The children of this process, or of another, right now.
std::set<pid_t> own_children();
std::set<pid_t> children_of(HostPid process);

// Kills and reaps every descendant of this process but those in `spared` and what is below them, until none
// is left. Signals nothing else, whatever a workload may have written anywhere: it only follows the kernel's
// parent links.
void end_descendants(const std::set<pid_t>& spared = {});

}  // namespace ctr
