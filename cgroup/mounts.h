// /proc/self/mountinfo as values. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ctr::cgroup {

struct Mount {
    uint64_t id = 0;
    std::string device = {};  // of the file system, "98:0"
    std::string root =
        {};  // which directory of the file system is mounted: "/" or, for a bind mount, one below
    std::string point = {};    // where, as this process sees it
    std::string type = {};     // "cgroup2", "ext4"
    std::string source = {};   // "/dev/sda1", or anything at all for file systems without a device
    std::string options = {};  // of the file system ("rw,blkio"), not of the mount
};

// One entry for each line, in the kernel's order (later ones hide earlier ones at the same point). Lines that
// aren't as proc_pid_mountinfo(5) says are left out.
std::vector<Mount> parse_mountinfo(std::string_view text);

}  // namespace ctr::cgroup
