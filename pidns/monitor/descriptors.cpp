#include "pidns/monitor/descriptors.h"

#include <charconv>
#include <string_view>

#include "pidns/monitor/fact_file.h"
#include "pidns/monitor/procfs.h"
#include "runtime/base/sys.h"

namespace ctr::pidns {

namespace {

FactFile facts_of(HostPid owner, int fd) {
    return FactFile(owner, ("fdinfo/" + std::to_string(fd)).c_str());
}

}  // namespace

std::string descriptor_path(HostPid owner, int fd) {
    return proc_file(owner, "fd/") + std::to_string(fd);
}

std::string descriptor_link(HostPid owner, int fd) {
    return link_text(descriptor_path(owner, fd));
}

Fd copy_descriptor(HostPid owner, int fd) {
    const Fd pidfd(sys::pidfd_open(raw(owner), 0));
    return Fd(pidfd ? sys::pidfd_getfd(pidfd.get(), fd) : -1);
}

OpenedAs opened_as(HostPid owner, int fd) {
    const FactFile facts = facts_of(owner, fd);
    return {.mount = static_cast<int>(facts.field("\nmnt_id:\t", 10).value_or(0)),
            .flags = facts.field("\nflags:\t", 8).value_or(0)};
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
