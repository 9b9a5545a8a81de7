#include "pidns/monitor/descriptors.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

#include "pidns/monitor/fact_file.h"
#include "pidns/monitor/procfs.h"
#include "runtime/base/sys.h"

namespace ctr::pidns {

namespace {

std::string facts_name(int fd) {
    return "fdinfo/" + std::to_string(fd);
}

// For what can't be reached below /proc/PID: the directories of a process that isn't dumpable belong to root,
// while an ordinary user, as the owner of the container's user namespace, may still copy its descriptors.
Fd copy_of_closed(HostPid thread, int fd) {
    const HostPid process = process_of_thread(thread);
    return process == HostPid::none ? Fd() : copy_descriptor(process, fd);
}

FactFile facts_of(HostPid owner, int fd) {
    FactFile facts(owner, facts_name(fd).c_str());
    if (!facts.text().empty()) return facts;
    const Fd copy = copy_of_closed(owner, fd);
    return copy ? FactFile(HostPid(getpid()), facts_name(copy.get()).c_str()) : std::move(facts);
}

}  // namespace

std::string descriptor_path(HostPid owner, int fd) {
    return proc_file(owner, "fd/") + std::to_string(fd);
}

std::string descriptor_link(HostPid owner, int fd) {
    std::string text = link_text(descriptor_path(owner, fd));
    if (!text.empty()) return text;
    const Fd copy = copy_of_closed(owner, fd);
    return copy ? link_text(descriptor_path(HostPid(getpid()), copy.get())) : std::string();
}

Fd descriptor_place(HostPid owner, int fd) {
    Fd place(open(descriptor_path(owner, fd).c_str(), O_PATH | O_CLOEXEC));
    if (place) return place;
    const Fd copy = copy_of_closed(owner, fd);
    return Fd(copy ? open(descriptor_path(HostPid(getpid()), copy.get()).c_str(), O_PATH | O_CLOEXEC) : -1);
}

Fd copy_descriptor(HostPid owner, int fd) {
    const Fd pidfd(sys::pidfd_open(raw(owner), 0));
    return Fd(pidfd ? sys::pidfd_getfd(pidfd.get(), fd) : -1);
}

bool can_copy_descriptors() {
    const Fd own(open("/proc", O_PATH | O_CLOEXEC));
    return static_cast<bool>(copy_descriptor(HostPid(getpid()), own.get()));
}

Fd open_again(HostPid owner, int fd) {
    constexpr decltype(statfs::f_type) quick[] = {PROC_SUPER_MAGIC, TMPFS_MAGIC, CGROUP_SUPER_MAGIC,
                                                  CGROUP2_SUPER_MAGIC};
    const Fd found = descriptor_place(owner, fd);
    struct statfs facts {};
    if (!found || fstatfs(found.get(), &facts) != 0 ||
        std::ranges::find(quick, facts.f_type) == std::end(quick))
        return {};
    const auto access = static_cast<int>(opened_as(owner, fd).flags & O_ACCMODE);
    return Fd(open(descriptor_path(HostPid(getpid()), found.get()).c_str(), access | O_NONBLOCK | O_CLOEXEC));
}

Fd copy_or_open_again(HostPid owner, int fd) {
    Fd copy = copy_descriptor(owner, fd);
    return copy || can_copy_descriptors() ? std::move(copy) : open_again(owner, fd);
}

OpenedAs opened_as(HostPid owner, int fd) {
    const FactFile facts = facts_of(owner, fd);
    return {.mount = static_cast<int>(facts.field("\nmnt_id:\t", 10).value_or(0)),
            .flags = facts.field("\nflags:\t", 8).value_or(0)};
}

off_t position_of(HostPid owner, int fd) {
    // The first line: nothing stands before its name.
    const std::string text = facts_of(owner, fd).text();
    constexpr std::string_view name = "pos:\t";
    off_t position = 0;
    if (text.starts_with(name))
        std::from_chars(text.data() + name.size(), text.data() + text.size(), position);
    return position;
}

HostPid process_of_pidfd(HostPid owner, int fd) {
    const HostPid process = facts_of(owner, fd).process("\nPid:\t");
    if (process != HostPid::none) return process;
    constexpr std::string_view directory = "/proc/";
    const std::string path = descriptor_link(owner, fd);
    if (!path.starts_with(directory)) return HostPid::none;
    int host = 0;
    const auto [end, error] =
        std::from_chars(path.data() + directory.size(), path.data() + path.size(), host);
    return error == std::errc{} && end == path.data() + path.size() ? HostPid(host) : HostPid::none;
}

}  // namespace ctr::pidns
