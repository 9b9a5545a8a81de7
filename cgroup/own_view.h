// What of the mounted hierarchies is a process's own: its group and what is below it. Pure, and nothing here
// allocates but what returns a list.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ctr::cgroup {

// A hierarchy that is mounted below /sys/fs/cgroup.
struct ViewPoint {
    std::string point;       // where
    std::string root;        // from which group on it is shown there
    std::string controller;  // one of its controllers, or "name=systemd"; empty: v2's

    bool operator==(const ViewPoint&) const = default;
};

// Of the texts of /proc/self/cgroup and /proc/self/mountinfo; of mounts at one point the one that can be
// seen.
std::vector<ViewPoint> view_points(std::string_view proc_self_cgroup, std::string_view mountinfo);

// Where below the point the process's own group is. Nothing: it is all that is shown, or it isn't shown.
std::optional<std::string_view> own_below(const ViewPoint& view, std::string_view proc_self_cgroup);

}  // namespace ctr::cgroup
