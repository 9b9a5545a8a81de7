#include "pidns/monitor/procfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include "runtime/base/fd.h"
#include "runtime/base/sys.h"

namespace ctr::pidns {

namespace {

// A file of "Name:\tvalue" lines below /proc/PID.
class FactFile {
  public:
    FactFile(HostPid process, const char* name) {
        std::array<char, 64> path;
        std::snprintf(path.data(), path.size(), "/proc/%d/%s", raw(process), name);
        const Fd file(open(path.data(), O_RDONLY | O_CLOEXEC));
        if (!file) return;
        std::array<char, 4096> part;
        for (ssize_t got = 0; (got = read(file.get(), part.data(), part.size())) > 0;)
            text_.append(part.data(), static_cast<size_t>(got));
    }

    const std::string& text() const { return text_; }

    std::string line(std::string_view name) const {
        const std::string_view text(text_);
        const size_t start = text.find(name);
        if (start == std::string_view::npos) return {};
        const size_t begin = start + name.size();
        return std::string(text.substr(begin, text.find('\n', begin) - begin));
    }

    std::optional<uint64_t> field(std::string_view name, int base) const {
        const std::string_view text(text_);
        const size_t start =
            text.find(name);  // name: "\nTgid:\t", which no command name can fake: it's escaped
        if (start == std::string_view::npos) return {};
        const char* digits = text.data() + start + name.size();
        uint64_t value = 0;
        if (std::from_chars(digits, text.data() + text.size(), value, base).ec != std::errc{}) return {};
        return value;
    }

  private:
    std::string text_;
};

// A number that isn't one, such as the -1 of a pidfd whose process was reaped, reads as none.
HostPid number_in(const FactFile& file, std::string_view name) {
    return HostPid(static_cast<int>(file.field(name, 10).value_or(0)));
}

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

}  // namespace

HostPid process_of_thread(HostPid thread) {
    if (const auto info = kernel_info(thread)) return HostPid(static_cast<int>(info->process));
    return number_in(FactFile(thread, "status"), "\nTgid:\t");
}

HostPid parent_of(HostPid process) {
    if (const auto info = kernel_info(process)) return HostPid(static_cast<int>(info->parent));
    return number_in(FactFile(process, "status"), "\nPPid:\t");
}

HostPid tracer_of(HostPid thread) {
    return number_in(FactFile(thread, "status"), "\nTracerPid:\t");
}

std::vector<HostPid> threads_of(HostPid process) {
    std::vector<HostPid> threads;
    const std::string directory = "/proc/" + std::to_string(raw(process)) + "/task";
    const std::unique_ptr<DIR, int (*)(DIR*)> tasks(opendir(directory.c_str()), closedir);
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

bool has_ended(HostPid process) {
    const std::string state = FactFile(process, "status").line("\nState:\t");
    return state.empty() || state[0] == 'Z' || state[0] == 'X';
}

bool has_capability(HostPid thread, int capability) {
    return ((FactFile(thread, "status").field("\nCapEff:\t", 16).value_or(0) >> capability) & 1) != 0;
}

std::string user_namespace_of(HostPid thread) {
    std::array<char, 64> text{};
    const std::string link = "/proc/" + std::to_string(raw(thread)) + "/ns/user";
    return readlink(link.c_str(), text.data(), text.size() - 1) > 0 ? std::string(text.data()) : "";
}

bool may_signal(HostPid sender, HostPid target) {
    // The Uid line: real, effective, saved, file system.
    using Ids = std::array<unsigned, 3>;
    const auto ids = [](HostPid process) -> std::optional<Ids> {
        Ids found{};
        const std::string line = FactFile(process, "status").line("\nUid:\t");
        if (std::sscanf(line.c_str(), "%u %u %u", &found[0], &found[1], &found[2]) != 3) return {};
        return found;
    };
    const auto from = ids(sender);
    const auto to = ids(target);
    if (!from || !to) return false;
    const auto& [real, effective, saved] = *to;
    if ((*from)[0] == real || (*from)[0] == saved || (*from)[1] == real || (*from)[1] == saved) return true;
    // A capability holds in the user namespace that it was got in.
    const std::string space = user_namespace_of(sender);
    return !space.empty() && space == user_namespace_of(target) && has_capability(sender, CAP_KILL);
}

// The directory of a process that isn't dumpable belongs to root.
bool may_inspect(HostPid reader, HostPid target) {
    struct stat of_reader {};
    struct stat of_target {};
    const bool known = stat(("/proc/" + std::to_string(raw(reader))).c_str(), &of_reader) == 0 &&
                       stat(("/proc/" + std::to_string(raw(target))).c_str(), &of_target) == 0;
    if (!known || of_reader.st_uid == of_target.st_uid) return known;
    // A capability holds in the user namespace that it was got in, and in those below.
    const std::string space = user_namespace_of(reader);
    const bool above = space == user_namespace_of(target) || space == user_namespace_of(HostPid(getpid()));
    return !space.empty() && above && has_capability(reader, CAP_SYS_PTRACE);
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

HostPid process_of_pidfd(HostPid owner, int fd) {
    const std::string number = std::to_string(fd);
    const HostPid process = number_in(FactFile(owner, ("fdinfo/" + number).c_str()), "\nPid:\t");
    if (process != HostPid::none) return process;
    std::array<char, 64> target{};
    const std::string link = "/proc/" + std::to_string(raw(owner)) + "/fd/" + number;
    if (readlink(link.c_str(), target.data(), target.size() - 1) < 0) return HostPid::none;
    constexpr std::string_view directory = "/proc/";
    const std::string_view path(target.data());
    int host = 0;
    if (!path.starts_with(directory)) return HostPid::none;
    const auto [end, error] =
        std::from_chars(path.data() + directory.size(), path.data() + path.size(), host);
    return error == std::errc{} && end == path.data() + path.size() ? HostPid(host) : HostPid::none;
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
