#include "cgroup/freezer.h"

#include <linux/magic.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "cgroup/control_file.h"
#include "cgroup/hierarchy.h"
#include "cgroup/mounts.h"
#include "cgroup/removal.h"

namespace ctr::cgroup {
namespace {

constexpr std::string_view step = "freeze the processes of the container";

// What differs between the versions.
struct Interface {
    unsigned long magic;
    const char* type;        // of the mount
    const char* controller;  // whose hierarchy it is
    const char* order;       // the file to write to
    const char* freeze;
    const char* thaw;
    const char* report;  // the file that says how far it is
    const char* done;    // and what it says then
};
constexpr Interface interfaces[] = {
    {CGROUP2_SUPER_MAGIC, "cgroup2", "", "cgroup.freeze", "1", "0", "cgroup.events", "frozen 1\n"},
    {CGROUP_SUPER_MAGIC, "cgroup", "freezer", "freezer.state", "FROZEN", "THAWED", "freezer.state",
     "FROZEN\n"},
};

struct Group {
    Directory directory;
    const Interface* interface;
};

bool is_cgroup(const Directory& directory) {
    return std::ranges::any_of(interfaces, [&](const Interface& interface) {
        return check_file_system(directory.fd(), directory.path(), interface.magic).has_value();
    });
}

Result<Group> open_group(const std::string& path) {
    auto directory = Directory::open(path, step);
    if (!directory) return std::unexpected(std::move(directory).error());
    for (const Interface& interface : interfaces)
        if (check_file_system(directory->fd(), path, interface.magic) && directory->has(interface.order))
            return Group{std::move(*directory), &interface};
    return fail_input(std::string(step), path + " is no cgroup that can freeze");
}

bool is_done(const Group& group) {
    const auto text = group.directory.read(group.interface->report, step);
    return text && text->find(group.interface->done) != std::string::npos;
}

}  // namespace

std::vector<std::string> freezer_directories(const std::string& name, const Host& host) {
    std::vector<std::string> found;
    const auto groups = read_file(host.proc + "/self/cgroup", step);
    const auto mountinfo = read_file(host.proc + "/self/mountinfo", step);
    if (!groups || !mountinfo) return found;
    const std::vector<Mount> mounts = parse_mountinfo(*mountinfo);
    for (const Interface& interface : interfaces) {
        const auto own = group_path(*groups, interface.controller);
        for (auto mount = mounts.rbegin(); own && mount != mounts.rend(); ++mount) {
            if (mount->type != interface.type) continue;
            if (*interface.controller != 0 && !has_word(mount->options, interface.controller, ',')) continue;
            const auto directory = directory_of(*mount, *own);
            if (!directory) continue;
            found.push_back(*directory + "/" + name);
            break;
        }
    }
    return found;
}

Result<std::string> make_freezer(const std::vector<std::string>& directories) {
    Result<std::string> result =
        fail_input("make a cgroup that can freeze", "no cgroup hierarchy for that is mounted here");
    for (const std::string& path : directories) {
        const size_t slash = path.rfind('/');
        const auto parent = Directory::open(path.substr(0, slash), step);
        if (!parent) {
            result = std::unexpected(parent.error());
            continue;
        }
        const auto made = parent->create(path.substr(slash + 1), "make a cgroup that can freeze");
        if (!made) {
            result = std::unexpected(made.error());
            continue;
        }
        if (open_group(path)) return path;
        (void)remove_directories({path});
    }
    return result;
}

Status join(const std::string& directory, HostPid process) {
    const std::string joining = "move process " + std::to_string(raw(process)) + " into the cgroup";
    const auto group = Directory::open(directory, joining);
    if (!group) return std::unexpected(group.error());
    if (!is_cgroup(*group)) return fail_input(joining, directory + " is none");
    return group->write("cgroup.procs", std::to_string(raw(process)), joining);
}

std::optional<std::string> find_freezer(const std::vector<std::string>& directories) {
    for (const std::string& path : directories)
        if (open_group(path)) return path;
    return {};
}

bool frozen(const std::string& directory) {
    const auto group = open_group(directory);
    return group && is_done(*group);
}

Status freeze(const std::string& directory) {
    const auto group = open_group(directory);
    if (!group) return std::unexpected(group.error());
    const Interface& interface = *group->interface;
    if (auto ordered = group->directory.write(interface.order, interface.freeze, step); !ordered)
        return ordered;
    for (int i = 0; i < 1000; ++i) {
        if (is_done(*group)) return {};
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    (void)thaw(directory);
    return fail_input(std::string(step), "they weren't all frozen after 10 seconds; they go on");
}

Status thaw(const std::string& directory) {
    const auto group = open_group(directory);
    if (!group) return std::unexpected(group.error());
    return group->directory.write(group->interface->order, group->interface->thaw,
                                  "let the processes of the container go on");
}

void end_all(const std::vector<std::string>& directories) {
    for (const std::string& path : directories) {
        const auto directory = Directory::open(path, step);
        if (!directory || !is_cgroup(*directory)) continue;
        (void)thaw(path);
        (void)kill_processes(path);
        (void)remove_directories({path});
    }
}

}  // namespace ctr::cgroup
