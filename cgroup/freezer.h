// A group that only holds a container's processes together, so that all of them can be frozen, or killed when
// nobody is left who knows them. It needs no controller: any group of v2 can do it, and v1 has a hierarchy
// for it.
//
// Everything works on paths, so that whoever is left after a crash can do it. Whether a path leads into a
// cgroup file system is checked each time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cgroup/host.h"
#include "runtime/base/error.h"
#include "runtime/base/ids.h"

namespace ctr::cgroup {

// Where make_freezer may put a group of that name, in the order in which it tries. Empty: nowhere.
std::vector<std::string> freezer_directories(const std::string& name, const Host& host = {});

// Makes the first that can be made.
Result<std::string> make_freezer(const std::vector<std::string>& directories);

// Moves a process into any group of these file systems.
Status join(const std::string& directory, HostPid process);

// The one among these that exists and can freeze.
std::optional<std::string> find_freezer(const std::vector<std::string>& directories);

bool frozen(const std::string& directory);

// Waits until all are frozen, 10 seconds at most; then it lets them go on and is an error.
Status freeze(const std::string& directory);
Status thaw(const std::string& directory);

// Thaws, kills what is in them, and removes them, as far as they are there.
void end_all(const std::vector<std::string>& directories);

}  // namespace ctr::cgroup
