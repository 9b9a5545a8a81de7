// Where the facts about this host are read. Tests put a small tree of their own in their place.
#pragma once

#include <string>

namespace ctr::cgroup {

struct Host {
    std::string proc = "/proc";  // self/mountinfo, self/cgroup and filesystems are read below it
    std::string sys = "/sys";    // dev/block is read below it
    bool genuine = true;  // false in tests: no check that the above (and the cgroup trees) are the kernel's
    std::string mounts_of = "self";  // whose mountinfo, when a path is looked up
};

}  // namespace ctr::cgroup
