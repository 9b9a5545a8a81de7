#include "runtime/facts.h"

#include <asm/hwcap2.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <sstream>

#include "pidns/surface/mark.h"
#include "runtime/base/path.h"
#include "runtime/base/sys.h"
#include "runtime/caps.h"
#include "runtime/landlock.h"
#include "runtime/own_caps.h"
#include "runtime/registry.h"
#include "runtime/terminal.h"

namespace ctr {

namespace {

// PROC_USER_INIT_INO of the kernel: the initial user namespace has this inode on every Linux.
constexpr ino_t initial_user_namespace_inode = 0xEFFFFFFD;

uint64_t read_bounding(int& last) {
    uint64_t set = 0;
    for (int capability = 0; capability < 64; ++capability) {
        const int held = prctl(PR_CAPBSET_READ, capability, 0, 0, 0);
        if (held < 0) break;
        last = capability;
        if (held == 1) set |= caps::bit(capability);
    }
    return set;
}

seccomp::KernelVersion read_kernel() {
    utsname names{};
    seccomp::KernelVersion version;
    if (uname(&names) != 0) return version;
    const char* const end = names.release + strnlen(names.release, sizeof names.release);
    const auto major = std::from_chars(names.release, end, version.major);
    if (major.ptr != end) std::from_chars(major.ptr + 1, end, version.minor);
    return version;
}

std::vector<cgroup::ViewPoint> read_cgroups() {
    const auto groups = path::read_text("/proc/self/cgroup");
    const auto mounts = path::read_text("/proc/self/mountinfo");
    return groups && mounts ? cgroup::view_points(*groups, *mounts) : std::vector<cgroup::ViewPoint>();
}

std::string working_directory() {
    char buffer[4096];
    // A directory that was removed or lies outside has no path that could be entered again.
    const long length = sys::getcwd(buffer, sizeof buffer);
    return length > 0 && buffer[0] == '/' ? std::string(buffer) : std::string();
}

}  // namespace

bool HostFacts::privileged() const {
    return (effective & caps::bit(CAP_SYS_ADMIN)) != 0;
}

std::vector<IdMapping> parse_id_mappings(const std::string& text) {
    std::vector<IdMapping> mappings;
    std::istringstream lines(text);
    IdMapping one;
    while (lines >> one.inside >> one.outside >> one.count) mappings.push_back(one);
    return mappings;
}

std::vector<IdRange> parse_id_map(const std::string& text) {
    std::vector<IdRange> ranges;
    for (const IdMapping& one : parse_id_mappings(text)) ranges.push_back({one.inside, one.count});
    return ranges;
}

bool contains(const std::vector<IdRange>& ranges, uint32_t id) {
    for (const IdRange& range : ranges)
        if (id >= range.first && id - range.first < range.count) return true;
    return false;
}

// The answer doesn't come by the child's exit status: there is none where SIGCHLD is ignored.
Status read_listened(HostFacts& facts) {
    constexpr const char* step = "find out whether another program listens to the calls of this one";
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return fail_call(step, "pipe2");
    const Fd answer(ends[0]);
    Fd sender(ends[1]);
    const pid_t child = fork();
    if (child < 0) return fail_call(step, "fork");
    if (child == 0) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
        const int made = sys::seccomp_set_filter(SECCOMP_FILTER_FLAG_NEW_LISTENER, {1, allow});
        const bool listened = made < 0 && errno == EBUSY;
        _exit(write(sender.get(), &listened, sizeof listened) == sizeof listened ? 0 : 1);
    }
    sender.reset();
    bool listened = false;
    ssize_t got = 0;
    do got = read(answer.get(), &listened, sizeof listened);
    while (got < 0 && errno == EINTR);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    if (got != sizeof listened) return fail_input(step, "the child that tried ended without an answer");
    facts.listened = listened;
    return {};
}

Result<HostFacts> read_host_facts() {
    HostFacts facts;
    facts.uid = geteuid();
    facts.gid = getegid();
    const auto own = own_caps::read();
    if (!own) return std::unexpected(own.error());
    facts.effective = own->effective;
    facts.bounding = read_bounding(facts.last_capability);
    facts.fsgsbase = (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE) != 0;
    facts.kernel = read_kernel();
    facts.window = terminal::size_of(STDIN_FILENO);
    facts.landlock_abi = landlock::abi();
    facts.own_proc = path::procfs_is_own();
    facts.numbered = prctl(pidns::layer_question, 0, 0, 0, 0) == 1;
    facts.working_directory = working_directory();
    facts.cgroups = read_cgroups();
    facts.may_change_kernel = faccessat(AT_FDCWD, "/proc/sys/kernel/core_pattern", W_OK, AT_EACCESS) == 0;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
        facts.env.emplace_back(*variable);
    facts.registry = usual_registry(facts.env);
    if (access(facts.registry.c_str(), F_OK) != 0) facts.registry.clear();

    struct stat status {};
    // A kernel without user namespaces has no such file: everybody lives in the initial one.
    if (stat("/proc/self/ns/user", &status) != 0) {
        if (errno != ENOENT) return fail_call("read the own user namespace", "stat");
        facts.initial_user_namespace = true;
        facts.uids = facts.gids = {{0, UINT32_MAX}};
        return facts;
    }
    facts.initial_user_namespace = status.st_ino == initial_user_namespace_inode;
    if (facts.initial_user_namespace) {  // the kernel has no other maps for it
        facts.uids = facts.gids = {{0, UINT32_MAX}};
        return facts;
    }
    const auto uids = path::read_text("/proc/self/uid_map");
    const auto gids = path::read_text("/proc/self/gid_map");
    const auto setgroups = path::read_text("/proc/self/setgroups");
    if (!uids) return std::unexpected(uids.error());
    if (!gids) return std::unexpected(gids.error());
    if (!setgroups) return std::unexpected(setgroups.error());
    facts.uids = parse_id_map(*uids);
    facts.gids = parse_id_map(*gids);
    facts.setgroups_allowed = setgroups->starts_with("allow");
    return facts;
}

}  // namespace ctr
