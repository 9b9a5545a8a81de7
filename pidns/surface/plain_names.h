// Names of /proc that mean the same to every process that may say them, and lead to nothing with a process's
// number in it: what start-up code and run-time systems read. Freestanding.
//
// Only whole texts count. "self" the kernel resolves for the thread that makes the call, as the monitor
// would.
#pragma once

#include <cstddef>

namespace ctr::pidns {

inline constexpr size_t longest_plain_name = 32;

// Arrays, because the guest code has no relocations.
inline constexpr char plain_names[][longest_plain_name] = {
    "/proc/self/exe",
    "/proc/self/auxv",
    "/proc/self/cmdline",
    "/proc/self/comm",
    "/proc/self/environ",
    "/proc/self/gid_map",
    "/proc/self/limits",
    "/proc/self/loginuid",
    "/proc/self/maps",
    "/proc/self/mountinfo",
    "/proc/self/mounts",
    "/proc/self/oom_score_adj",
    "/proc/self/smaps",
    "/proc/self/statm",
    "/proc/self/uid_map",
    "/proc/cmdline",
    "/proc/cpuinfo",
    "/proc/devices",
    "/proc/filesystems",
    "/proc/meminfo",
    "/proc/mounts",
    "/proc/stat",
    "/proc/uptime",
    "/proc/version",
    "/proc/sys/kernel/cap_last_cap",
    "/proc/sys/kernel/ngroups_max",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/vm/overcommit_memory",
};

// Reads PATH up to its end or its first difference from all of these: longest_plain_name bytes at most.
constexpr bool is_plain_path(const char* path) {
    for (const auto& name : plain_names) {
        size_t i = 0;
        while (path[i] == name[i] && name[i] != '\0') ++i;
        if (path[i] == name[i]) return true;
    }
    return false;
}

}  // namespace ctr::pidns
