#include "pidns/monitor/raw_programs.h"

#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string>

#include "pidns/monitor/fact_file.h"
#include "pidns/monitor/procfs.h"
#include "pidns/surface/mark.h"
#include "runtime/base/path.h"
#include "runtime/base/sys.h"

namespace ctr::pidns {

namespace {

// The file may be hostile: nobody is kept busy by it for longer, and by no more of them.
constexpr uint64_t largest = uint64_t{64} << 20;
constexpr rlim_t most_seconds = 10;
constexpr std::chrono::milliseconds patience{5000};
constexpr size_t most_programs = 32;  // of a container

constexpr const char* copier_name = "ctr-copier";
constexpr int low_priority = 10;

// Whether the mapping that holds one address holds the other too.
bool same_mapping(HostPid thread, uint64_t one, uint64_t other) {
    std::istringstream lines(FactFile(thread, "maps").text());
    for (std::string line; std::getline(lines, line);) {
        uint64_t begin = 0;
        uint64_t end = 0;
        if (std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) == 2 && begin <= one && one < end)
            return begin <= other && other < end;
    }
    return false;
}

// Not a library of it: a static program, which has no dynamic linker whose place AT_BASE would be; or one of
// Go's, which may have libraries and makes its calls itself all the same.
bool makes_calls_itself(const Trap& trap) {
    const FactFile file(trap.thread, "auxv");
    const std::string& text = file.text();
    Elf64_auxv_t entry{};
    uint64_t linker = 0;
    uint64_t entry_point = 0;
    for (size_t at = 0; text.size() - at >= sizeof entry; at += sizeof entry) {
        std::memcpy(&entry, text.data() + at, sizeof entry);
        if (entry.a_type == AT_BASE) linker = entry.a_un.a_val;
        if (entry.a_type == AT_ENTRY) entry_point = entry.a_un.a_val;
    }
    return entry_point != 0 && (linker == 0 || same_mapping(trap.thread, entry_point, trap.instruction));
}

bool same(const timespec& one, const timespec& other) {
    return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
}

}  // namespace

bool is_installed(std::string_view path) {
    constexpr std::string_view directories[] = {"/bin/", "/sbin/", "/lib/", "/lib64/", "/usr/", "/opt/"};
    constexpr std::string_view sources = "/usr/src/";
    return std::ranges::any_of(directories, [&](auto directory) { return path.starts_with(directory); }) &&
           !path.starts_with(sources);
}

void RawPrograms::saw(const Trap& trap) {
    if (!make_ || trap.arguments[5] == asked_mark) return;
    if (trap.number == SYS_execve || trap.number == SYS_execveat) {
        seen_.erase(raw(trap.thread));
    } else if (seen_.insert(raw(trap.thread)).second) {
        look_at(trap);
    }
}

// One at a time; who comes meanwhile will be seen at its next start. Looks at nothing that a workload may
// serve.
void RawPrograms::look_at(const Trap& trap) {
    if (known_.size() >= most_programs || copier() != HostPid::none || !makes_calls_itself(trap)) return;
    const Fd image(open(proc_file(trap.thread, "exe").c_str(), O_PATH | O_CLOEXEC));
    struct statx status {};
    constexpr int as_known = AT_EMPTY_PATH | AT_STATX_DONT_SYNC;
    if (!image || statx(image.get(), "", as_known, STATX_BASIC_STATS, &status) != 0) return;
    // A copy; or what somebody else has mounted.
    if ((status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0) return;
    if (status.stx_nlink == 0 || status.stx_size > largest) return;
    const std::string path = path::name_of(image.get());
    if (!is_installed(path)) return;
    const timespec changed{status.stx_ctime.tv_sec, status.stx_ctime.tv_nsec};
    const auto [entry, is_new] =
        known_.try_emplace({makedev(status.stx_dev_major, status.stx_dev_minor), status.stx_ino}, changed);
    if (!is_new && same(std::exchange(entry->second, changed), changed)) return;
    start(image, path);
}

void RawPrograms::start(const Fd& image, const std::string& path) {
    const pid_t self = getpid();
    const pid_t copier = fork();
    if (copier == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != self) _exit(0);
        prctl(PR_SET_NAME, copier_name);
        setpriority(PRIO_PROCESS, 0, low_priority);
        const rlimit seconds{most_seconds, most_seconds};
        setrlimit(RLIMIT_CPU, &seconds);
        make_(image, path);
        _exit(0);
    }
    copier_ = copier > 0 ? HostPid(copier) : HostPid::none;
    copiers_end_.reset(copier > 0 ? sys::pidfd_open(copier, 0) : -1);
}

HostPid RawPrograms::copier() const {
    pollfd end{copiers_end_.get(), POLLIN, 0};
    return copiers_end_ && poll(&end, 1, 0) == 0 ? copier_ : HostPid::none;
}

void RawPrograms::await_copier(int stop) const {
    if (copier() == HostPid::none) return;
    std::array<pollfd, 2> ends{{{copiers_end_.get(), POLLIN, 0}, {stop, POLLIN, 0}}};
    // The tracer's alarm may still ring.
    using std::chrono::steady_clock;
    const auto deadline = steady_clock::now() + patience;
    for (auto left = patience; left.count() > 0;) {
        if (poll(ends.data(), ends.size(), static_cast<int>(left.count())) >= 0 || errno != EINTR) return;
        left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
    }
}

}  // namespace ctr::pidns
