#include "pidns/monitor/procfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/nsfs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "pidns/monitor/fact_file.h"
#include "runtime/base/fd.h"
#include "runtime/base/sys.h"

namespace ctr::pidns {

namespace {

// What newer kernels say of a process or thread without /proc, in a fraction of the time: PIDFD_GET_INFO of
// include/uapi/linux/pidfd.h (Linux 6.13, of threads since 6.9), in its first size.
struct KernelInfo {
    uint64_t mask;
    uint64_t cgroup;
    uint32_t thread, process, parent;
    uint32_t ids[8];
    uint32_t reserved;
};
static_assert(sizeof(KernelInfo) == 64);
constexpr unsigned long get_info = _IOWR(0xff, 11, KernelInfo);
constexpr unsigned of_any_thread = O_EXCL;  // PIDFD_THREAD

// Nothing: an older kernel, or there is no such thread; /proc knows.
std::optional<KernelInfo> kernel_info(HostPid thread) {
    const Fd pidfd(sys::pidfd_open(raw(thread), of_any_thread));
    KernelInfo info{};
    if (!pidfd || ioctl(pidfd.get(), get_info, &info) != 0) return {};
    return info;
}

bool is_same(const struct stat& one, const struct stat& other) {
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

uint64_t capabilities(const FactFile& status, const char* set) {
    return status.field(set, 16).value_or(0);
}

// Of users or of groups, as a line of the status file has them.
struct Ids {
    unsigned real = 0, effective = 0, saved = 0, of_files = 0;

    bool are_all(unsigned id) const { return real == id && effective == id && saved == id; }
};

std::optional<Ids> ids_in(const FactFile& status, const char* name) {
    Ids found;
    const std::string line = status.line(name);
    if (std::sscanf(line.c_str(), "%u %u %u %u", &found.real, &found.effective, &found.saved,
                    &found.of_files) != 4)
        return {};
    return found;
}

// The files of a process that isn't dumpable belong to root (task_dump_owner() of fs/proc/base.c), but not
// its directory.
bool is_dumpable(HostPid process, const Ids& users) {
    struct stat file {};
    return stat(proc_file(process, "status").c_str(), &file) == 0 && file.st_uid == users.effective;
}

// As cap_capable() of security/commoncap.c: a capability holds in the user namespace that it was got in and
// in those below, and who has made one of these has all in it.
bool has_capability_over(HostPid thread, HostPid target, int capability) {
    struct stat own {};
    if (stat(proc_file(thread, "ns/user").c_str(), &own) != 0) return false;
    Fd space(open(proc_file(target, "ns/user").c_str(), O_RDONLY | O_CLOEXEC));
    for (struct stat here{}; space && fstat(space.get(), &here) == 0;) {
        if (is_same(here, own)) return has_capability(thread, capability);
        Fd parent(ioctl(space.get(), NS_GET_PARENT));
        struct stat above {};
        uid_t maker = 0;
        struct stat of_thread {};
        if (parent && fstat(parent.get(), &above) == 0 && is_same(above, own) &&
            ioctl(space.get(), NS_GET_OWNER_UID, &maker) == 0 &&
            stat(proc_file(thread, "").c_str(), &of_thread) == 0 && of_thread.st_uid == maker)
            return true;
        space = std::move(parent);
    }
    return false;
}

}  // namespace

std::string proc_file(HostPid process, std::string_view name) {
    return ("/proc/" + std::to_string(raw(process)) + '/').append(name);
}

std::string link_text(const std::string& path) {
    std::array<char, PATH_MAX> target;
    const ssize_t length = readlink(path.c_str(), target.data(), target.size());
    return length > 0 ? std::string(target.data(), static_cast<size_t>(length)) : std::string();
}

HostPid process_of_thread(HostPid thread) {
    if (const auto info = kernel_info(thread)) return HostPid(static_cast<int>(info->process));
    return FactFile(thread, "status").process("\nTgid:\t");
}

HostPid parent_of(HostPid process) {
    if (const auto info = kernel_info(process)) return HostPid(static_cast<int>(info->parent));
    return FactFile(process, "status").process("\nPPid:\t");
}

HostPid tracer_of(HostPid thread) {
    return FactFile(thread, "status").process("\nTracerPid:\t");
}

std::vector<HostPid> threads_of(HostPid process) {
    std::vector<HostPid> threads;
    const std::unique_ptr<DIR, int (*)(DIR*)> tasks(opendir(proc_file(process, "task").c_str()), closedir);
    if (!tasks) return threads;
    // The process may end at any moment; then there is no next entry.
    while (const dirent* task = readdir(tasks.get())) {
        const std::string_view name(task->d_name);
        int number = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), number).ec == std::errc{})
            threads.push_back(HostPid(number));
    }
    return threads;
}

// A first thread that has ended stays until the others have.
bool has_ended(HostPid process) {
    const FactFile status(process, "status");
    const std::string state = status.line("\nState:\t");
    if (state.empty() || state[0] == 'X') return true;
    return state[0] == 'Z' && status.field("\nThreads:\t", 10).value_or(0) <= 1;
}

bool has_capability(HostPid thread, int capability) {
    return ((FactFile(thread, "status").field("\nCapEff:\t", 16).value_or(0) >> capability) & 1) != 0;
}

std::string user_namespace_of(HostPid thread) {
    return link_text(proc_file(thread, "ns/user"));
}

std::optional<unsigned> user_of(HostPid thread) {
    unsigned real = 0;
    const std::string line = FactFile(thread, "status").line("\nUid:\t");
    return std::sscanf(line.c_str(), "%u", &real) == 1 ? std::optional(real) : std::nullopt;
}

// Who shares this process's namespace is shown its parent's users.
std::optional<unsigned> user_meant_by(HostPid thread, unsigned user) {
    const std::string space = user_namespace_of(thread);
    if (space.empty()) return {};
    if (space == user_namespace_of(HostPid(getpid()))) return user;
    std::istringstream lines(FactFile(thread, "uid_map").text());
    for (unsigned inside = 0, outside = 0, count = 0; lines >> inside >> outside >> count;)
        if (user >= inside && user - inside < count) return outside + (user - inside);
    return {};
}

bool may_signal(HostPid sender, HostPid target) {
    const auto from = ids_in(FactFile(sender, "status"), "\nUid:\t");
    const auto to = ids_in(FactFile(target, "status"), "\nUid:\t");
    if (!from || !to) return false;
    const auto is_targets = [&](unsigned id) { return id == to->real || id == to->saved; };
    if (is_targets(from->real) || is_targets(from->effective)) return true;
    // A capability holds in the user namespace that it was got in.
    const std::string space = user_namespace_of(sender);
    return !space.empty() && space == user_namespace_of(target) && has_capability(sender, CAP_KILL);
}

// As __ptrace_may_access() of kernel/ptrace.c and cap_ptrace_access_check().
bool may_inspect(HostPid reader, HostPid target) {
    const FactFile readers(reader, "status"), targets(target, "status");
    const auto reading_user = ids_in(readers, "\nUid:\t"), reading_group = ids_in(readers, "\nGid:\t");
    const auto users = ids_in(targets, "\nUid:\t"), groups = ids_in(targets, "\nGid:\t");
    if (!reading_user || !reading_group || !users || !groups) return false;
    const std::string space = user_namespace_of(reader);
    const bool is_same = users->are_all(reading_user->of_files) && groups->are_all(reading_group->of_files);
    const bool has_all = (capabilities(targets, "\nCapPrm:\t") & ~capabilities(readers, "\nCapEff:\t")) == 0;
    if (is_same && has_all && !space.empty() && space == user_namespace_of(target) &&
        is_dumpable(target, *users))
        return true;
    return has_capability_over(reader, target, CAP_SYS_PTRACE);
}

bool may_open_closed(HostPid target) {
    const auto self = HostPid(getpid());
    return user_namespace_of(target) != user_namespace_of(self) || has_capability(self, CAP_SYS_PTRACE);
}

std::string birth_of(HostPid process) {
    constexpr int start_time = 22 - 2;  // counted from the field after the name
    const std::string text = FactFile(process, "stat").text();
    const size_t end_of_name = text.rfind(')');
    if (end_of_name == std::string::npos) return {};
    std::istringstream fields(text.substr(end_of_name + 1));
    std::string field;
    for (int i = 0; i < start_time; ++i) fields >> field;
    return field;
}

bool descends_from(HostPid process, HostPid ancestor) {
    constexpr int deepest = 100'000;
    for (int steps = 0; steps < deepest && raw(process) > 1; ++steps) {
        if (process == ancestor) return true;
        process = parent_of(process);
    }
    return false;
}

// "NUMBER 0xFIRST ..." of a call that sleeps.
std::optional<uint64_t> awaited_set(HostPid thread) {
    std::istringstream fields(FactFile(thread, "syscall").text());
    long number = -1;
    uint64_t first = 0;
    fields >> number >> std::hex >> first;
    return fields && number == SYS_rt_sigtimedwait ? std::optional(first) : std::nullopt;
}

std::optional<SignalSets> signal_sets(HostPid process) {
    const FactFile file(process, "status");
    const auto blocked = file.field("\nSigBlk:\t", 16);
    const auto ignored = file.field("\nSigIgn:\t", 16);
    const auto caught = file.field("\nSigCgt:\t", 16);
    if (!blocked || !ignored || !caught) return {};
    return SignalSets{*blocked, *ignored, *caught};
}

}  // namespace ctr::pidns
