// The container's view of its cgroups. Async-signal-safe: see child.h.
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "runtime/base/path.h"
#include "runtime/mounting.h"

namespace ctr::child {

namespace {

bool is_cgroup(const Fd& directory) {
    struct statfs status {};
    return fstatfs(directory.get(), &status) == 0 &&
           (status.f_type == CGROUP_SUPER_MAGIC || status.f_type == CGROUP2_SUPER_MAGIC);
}

// What fits; a group that is cut off isn't found.
std::string_view read_own_groups(std::array<char, 16384>& buffer) {
    const Fd file(path::open_procfs("self/cgroup", O_RDONLY));
    if (!file) return {};
    size_t filled = 0;
    ssize_t got = 0;
    while (filled < buffer.size() &&
           (got = read(file.get(), buffer.data() + filled, buffer.size() - filled)) > 0)
        filled += static_cast<size_t>(got);
    return {buffer.data(), filled};
}

Fault show_own(const State& state, const cgroup::ViewPoint& view, std::string_view groups) {
    const auto below = cgroup::own_below(view, groups);
    if (!below) return {};
    const char* text = view.point.c_str();
    const Fd point(path::open_exactly(state.root.get(), text));
    if (!point) return errno == ENOENT ? Fault{} : failed("openat2", text);
    if (!is_cgroup(point)) return {};
    std::array<char, 4096> name{};
    if (below->copy(name.data(), name.size() - 1) < below->size())
        return refused("the group's path is too long");
    const Fd own(path::open_exactly(point.get(), name.data()));
    if (!own) return failed("openat2", text);
    const Fd tree = clone_mount(own.get());
    if (!tree) return failed("open_tree", text);
    return attach(tree, point, MOUNT_ATTR_RDONLY, text);
}

}  // namespace

// A bind of the group's directory, and not a new mount of the hierarchy: when the last of those goes that
// nothing else holds, version 1 ends a hierarchy without groups, also for those who use it otherwise.
Fault execute(State& state, const action::ShowOwnCgroups& action) {
    std::array<char, 16384> buffer;
    const std::string_view groups = read_own_groups(buffer);
    for (const cgroup::ViewPoint& view : action.views)
        if (const Fault fault = show_own(state, view, groups); fault.happened) note(state, fault);
    return {};
}

}  // namespace ctr::child
