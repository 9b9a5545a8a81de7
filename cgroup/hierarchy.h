// Which cgroup hierarchy a controller works in on this host, and where in it the calling process is. Nothing
// is taken for granted about /sys/fs/cgroup: hierarchies may be mounted anywhere, several controllers in one
// ("cpu,cpuacct"), without a controller ("name=systemd"), in part (bind mounts of a container), or not at
// all.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cgroup/host.h"
#include "cgroup/limits.h"
#include "cgroup/mounts.h"
#include "runtime/base/error.h"

namespace ctr::cgroup {

enum class Version {
    v1,  // a hierarchy of its own for each controller, or for a few together
    v2,  // the unified hierarchy
};

struct Hierarchy {
    Version version = Version::v2;
    std::string mount_point;
    std::string own;  // the directory of the calling process's group: the mount point or below it

    auto operator<=>(const Hierarchy&) const = default;
};

// A controller belongs to one hierarchy at a time: v1's if it is listed there for this process, else v2's.
Result<Hierarchy> find_hierarchy(const Controller& controller, const Host& host = {});

// What of cgroups this process is in: "v1", "v2", "v1 and v2 (hybrid)", or nothing.
std::string describe_layout(std::string_view proc_self_cgroup);

// The group of a process in a v1 controller's hierarchy, or in v2's for an empty name, from
// /proc/self/cgroup: a part of that text.
std::optional<std::string_view> group_path(std::string_view proc_self_cgroup, std::string_view controller);

// Where a mount of a hierarchy shows that group; nothing if it lies outside of what is mounted there.
std::optional<std::string> directory_of(const Mount& mount, std::string_view group_path);

}  // namespace ctr::cgroup
