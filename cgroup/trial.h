// What groups of ours could do on this host, found by making some and removing them again.
//
// Whoever is killed meanwhile leaves groups behind; trial_directories() names them beforehand, for a process
// that is left (remove_directories in removal.h).
#pragma once

#include <string>
#include <vector>

#include "cgroup/host.h"
#include "runtime/base/error.h"

namespace ctr::cgroup {

// One thing that groups are for: what it is called, and what it takes.
struct Ability {
    const char* name;
    Result<std::string> (*attempt)(const std::string& group, const Host& host);  // in words, where or how
};
const std::vector<Ability>& abilities();

// The paths at which the attempts may put a group of that name.
std::vector<std::string> trial_directories(const std::string& group, const Host& host = {});

}  // namespace ctr::cgroup
