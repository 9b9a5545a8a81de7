#include "cgroup/hierarchy.h"

#include <linux/magic.h>

#include <vector>

#include "cgroup/control_file.h"

namespace ctr::cgroup {
namespace {

std::string step_for(const Controller& controller) {
    return "find the cgroup hierarchy for limits on " + std::string(controller.name);
}

// The newest mount first: it hides older ones at the same point.
std::optional<Hierarchy> find_mounted(const std::vector<Mount>& mounts, Version version,
                                      const Controller& controller, std::string_view path, bool genuine) {
    const bool v1 = version == Version::v1;
    for (auto mount = mounts.rbegin(); mount != mounts.rend(); ++mount) {
        if (mount->type != (v1 ? "cgroup" : "cgroup2")) continue;
        if (v1 && !has_word(mount->options, controller.v1_name, ',')) continue;
        const std::optional<std::string> own = directory_of(*mount, path);
        if (!own) continue;
        const Result<Directory> directory = Directory::open(*own, step_for(controller));
        if (!directory) continue;
        if (genuine &&
            !check_file_system(directory->fd(), *own, v1 ? CGROUP_SUPER_MAGIC : CGROUP2_SUPER_MAGIC))
            continue;
        return Hierarchy{version, mount->point, *own};
    }
    return std::nullopt;
}

std::unexpected<Error> not_mounted(Version version, const Controller& controller, std::string_view path) {
    const std::string name(controller.v1_name);
    const std::string which = version == Version::v1 ? "cgroup v1 " + name : "cgroup v2";
    return fail_input(step_for(controller),
                      "the kernel has this process in the " + which + " hierarchy, in group \"" +
                          std::string(path) + "\", but no mount seen from here shows that group",
                      version == Version::v1
                          ? "as root: mkdir DIR && mount -t cgroup -o " + name + " none DIR"
                          : "as root: mkdir DIR && mount -t cgroup2 none DIR");
}

}  // namespace

Result<Hierarchy> find_hierarchy(const Controller& controller, const Host& host) {
    const std::string step = step_for(controller);
    const std::string v1_name(controller.v1_name);
    const Result<std::string> groups = read_file(host.proc + "/self/cgroup", step);
    if (!groups) return std::unexpected(groups.error());
    const Result<std::string> mountinfo = read_file(host.proc + "/self/mountinfo", step);
    if (!mountinfo) return std::unexpected(mountinfo.error());
    const std::vector<Mount> mounts = parse_mountinfo(*mountinfo);

    Version version = Version::v1;
    std::optional<std::string_view> path = group_path(*groups, v1_name);
    if (!path) {
        version = Version::v2;
        path = group_path(*groups, "");
    }
    if (!path) {
        return fail_input(step, "this process is in no " + v1_name + " and in no unified hierarchy",
                          "a kernel with that controller (zgrep CGROUP /proc/config.gz), and as root: mkdir "
                          "DIR && mount -t cgroup2 none DIR");
    }
    if (auto hierarchy = find_mounted(mounts, version, controller, *path, host.genuine))
        return *std::move(hierarchy);
    return not_mounted(version, controller, *path);
}

std::string describe_layout(std::string_view proc_self_cgroup) {
    bool v1 = false;
    bool v2 = false;
    for_each_line(proc_self_cgroup, [&](std::string_view line) {
        const bool unified = line.starts_with("0::");
        v2 = v2 || unified;
        v1 = v1 || (!line.empty() && !unified);
    });
    if (v1 && v2) return "v1 and v2 (hybrid)";
    return v1 ? "v1" : v2 ? "v2" : "";
}

// "7:cpu,cpuacct:/user.slice"; v2's is "0::/user.slice". Paths may contain colons.
std::optional<std::string_view> group_path(std::string_view proc_self_cgroup, std::string_view controller) {
    std::optional<std::string_view> found;
    for_each_line(proc_self_cgroup, [&](std::string_view line) {
        const std::string_view number = take_until(line, ':');
        const std::string_view controllers = take_until(line, ':');
        const bool match = controller.empty() ? number == "0" && controllers.empty()
                                              : has_word(controllers, controller, ',');
        if (match && !found) found = line;
    });
    return found;
}

std::optional<std::string> directory_of(const Mount& mount, std::string_view path) {
    // A process outside of its cgroup namespace's root is shown as "/..", and so is a mount from outside of
    // it.
    if (!path.starts_with('/') || path == "/.." || path.starts_with("/../")) return std::nullopt;
    std::string_view root = mount.root;
    if (root == "/") root = "";
    if (!path.starts_with(root)) return std::nullopt;
    path.remove_prefix(root.size());
    if (!path.empty() && !path.starts_with('/')) return std::nullopt;  // "/a" is not above "/ab"
    if (path == "/") path = "";
    return mount.point + std::string(path);
}

}  // namespace ctr::cgroup
