#include "pidns/monitor/cgroup_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "pidns/monitor/descriptors.h"
#include "pidns/monitor/procfs.h"

namespace ctr::pidns {

namespace {

constexpr std::string_view place_prefix = "cgroup/";

struct Name {
    std::string_view name;
    Kind kind;
};
// A thread's number in cgroup.procs moves its process.
constexpr Name names[] = {
    {"cgroup.procs", Kind::process}, {"cgroup.threads", Kind::thread}, {"tasks", Kind::thread}};

const Name* name_of(std::string_view path) {
    for (const Name& known : names)
        if (path.ends_with(known.name) &&
            (path.size() == known.name.size() || path[path.size() - known.name.size() - 1] == '/'))
            return &known;
    return nullptr;
}

Content content_of(const ProcMounts::CgroupMount& mount) {
    return mount.unified ? Content::pid_list_v2 : Content::pid_list;
}

// The rest of a path below a directory; nothing if it isn't below it.
std::optional<std::string_view> below(std::string_view path, std::string_view directory) {
    if (directory == "/") return path;
    if (!path.starts_with(directory)) return {};
    path.remove_prefix(directory.size());
    return path.starts_with('/') ? std::optional(path) : std::nullopt;
}

std::string joined(const std::string& directory, std::string_view rest) {
    return (directory == "/" ? "" : directory) + std::string(rest);
}

std::string place_of(const ProcMounts::CgroupMount& mount) {
    return std::string(place_prefix) + mount.device + joined(mount.root, "");
}

}  // namespace

bool CgroupFiles::may_be_named(std::string_view path) {
    return name_of(path) != nullptr;
}

std::optional<CgroupFiles::Members> CgroupFiles::members(HostPid holder, int fd, HostPid thread) {
    const std::string link = descriptor_link(holder, fd);
    const Name* name = name_of(link);
    if (!name) return {};
    const OpenedAs opened = opened_as(holder, fd);
    const auto& mounts = mounts_.cgroups_of(thread);
    const auto mount = std::find_if(mounts.begin(), mounts.end(),
                                    [&](const auto& candidate) { return candidate.id == opened.mount; });
    if (mount == mounts.end()) return {};
    Members members{.content = content_of(*mount),
                    .kind = name->kind,
                    .writable = (opened.flags & O_ACCMODE) != O_RDONLY && (opened.flags & O_PATH) == 0,
                    .place = {}};
    Components point = ProcMounts::root_of(thread);
    point.insert(point.end(), mount->point.begin(), mount->point.end());
    if (const auto rest = below(link, join(point))) members.place = place_of(*mount) + std::string(*rest);
    return members;
}

bool CgroupFiles::has_writable(HostPid process) {
    const std::unique_ptr<DIR, int (*)(DIR*)> fds(opendir(proc_file(process, "fd").c_str()), closedir);
    while (const dirent* entry = fds ? readdir(fds.get()) : nullptr) {
        if (entry->d_name[0] == '.') continue;
        const auto found = members(process, std::atoi(entry->d_name), process);
        if (found && found->writable) return true;
    }
    return false;
}

bool CgroupFiles::is_place(std::string_view place) {
    return place.starts_with(place_prefix) && name_of(place) && place.find("/../") == std::string_view::npos;
}

// A place can be anybody's text, so what is opened must be on the mount that was meant.
CgroupFiles::Source CgroupFiles::reopen(std::string_view place) {
    const auto self = HostPid(getpid());
    for (const auto& mount : mounts_.cgroups_of(self)) {
        const auto rest = below(place, place_of(mount));
        if (!rest) continue;
        Fd file(open(joined(join(mount.point), *rest).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
        if (file && opened_as(self, file.get()).mount == mount.id)
            return {std::move(file), content_of(mount)};
    }
    return {};
}

std::optional<std::string> CgroupFiles::path_of(std::string_view place, HostPid thread) {
    for (const auto& mount : mounts_.cgroups_of(thread))
        if (const auto rest = below(place, place_of(mount))) return joined(join(mount.point), *rest);
    return {};
}

}  // namespace ctr::pidns
