#include "cgroup/own_view.h"

#include <algorithm>

#include "cgroup/control_file.h"
#include "cgroup/hierarchy.h"
#include "cgroup/mounts.h"

namespace ctr::cgroup {

namespace {

constexpr std::string_view usual = "/sys/fs/cgroup";

bool is_usual(std::string_view point) {
    return point.starts_with(usual) && (point.size() == usual.size() || point[usual.size()] == '/');
}

// The first of a mount's options that is a controller, or a name, of a hierarchy of v1.
std::optional<std::string> controller_of(const Mount& mount, std::string_view proc_self_cgroup) {
    std::string_view options = mount.options;
    while (!options.empty())
        if (const std::string_view word = take_until(options, ','); group_path(proc_self_cgroup, word))
            return std::string(word);
    return {};
}

}  // namespace

std::vector<ViewPoint> view_points(std::string_view proc_self_cgroup, std::string_view mountinfo) {
    std::vector<ViewPoint> views;
    for (Mount& mount : parse_mountinfo(mountinfo)) {
        if (!is_usual(mount.point)) continue;
        // It hides what was mounted there and below.
        std::erase_if(views, [&](const ViewPoint& view) {
            return view.point == mount.point || view.point.starts_with(mount.point + "/");
        });
        const bool v2 = mount.type == "cgroup2";
        if (!v2 && mount.type != "cgroup") continue;
        auto controller = v2 ? std::optional<std::string>("") : controller_of(mount, proc_self_cgroup);
        if (controller)
            views.push_back({std::move(mount.point), std::move(mount.root), std::move(*controller)});
    }
    return views;
}

std::optional<std::string_view> own_below(const ViewPoint& view, std::string_view proc_self_cgroup) {
    auto path = group_path(proc_self_cgroup, view.controller);
    // One beside or above the namespace's own is shown as "/..".
    if (!path || !path->starts_with('/') || path->starts_with("/..")) return {};
    if (view.root != "/") {
        if (!path->starts_with(view.root)) return {};
        path->remove_prefix(view.root.size());
        if (!path->empty() && !path->starts_with('/')) return {};  // "/a" is not above "/ab"
    }
    while (path->starts_with('/')) path->remove_prefix(1);
    return path->empty() ? std::nullopt : path;
}

}  // namespace ctr::cgroup
