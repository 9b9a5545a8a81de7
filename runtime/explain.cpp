#include "runtime/explain.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <string_view>

#include "runtime/base/path.h"
#include "runtime/caps.h"

namespace ctr {

namespace {

using Found = std::optional<std::string>;

std::string trimmed(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

// "user.max_user_namespaces = 0" if the setting has this value.
Found setting(const Evidence& evidence, const std::string& name, const std::string& value) {
    std::string file = name;
    for (char& c : file)
        if (c == '.') c = '/';
    const auto text = evidence.read("/proc/sys/" + file);
    if (!text || trimmed(*text) != value) return std::nullopt;
    return name + " = " + value;
}

bool wants(const Evidence& evidence, uint64_t flag) {
    return (evidence.clone_flags & flag) != 0;
}

struct Limit {
    uint64_t flag;
    const char* name;
};
constexpr Limit limits[] = {
    {CLONE_NEWUSER, "user.max_user_namespaces"}, {CLONE_NEWNS, "user.max_mnt_namespaces"},
    {CLONE_NEWUTS, "user.max_uts_namespaces"},   {CLONE_NEWIPC, "user.max_ipc_namespaces"},
    {CLONE_NEWPID, "user.max_pid_namespaces"},   {CLONE_NEWNET, "user.max_net_namespaces"}};

Found forbidden_by_limit(const Evidence& evidence) {
    for (const Limit& limit : limits)
        if (wants(evidence, limit.flag))
            if (const Found found = setting(evidence, limit.name, "0")) return found;
    return std::nullopt;
}

Found no_cgroup_namespaces(const Evidence& evidence) {
    return setting(evidence, "user.max_cgroup_namespaces", "0");
}

Found forbidden_to_unprivileged(const Evidence& evidence) {
    return wants(evidence, CLONE_NEWUSER) ? setting(evidence, "kernel.unprivileged_userns_clone", "0")
                                          : std::nullopt;
}

Found restricted_by_apparmor(const Evidence& evidence) {
    return wants(evidence, CLONE_NEWUSER)
               ? setting(evidence, "kernel.apparmor_restrict_unprivileged_userns", "1")
               : std::nullopt;
}

Found user_namespace_wanted(const Evidence& evidence) {
    return wants(evidence, CLONE_NEWUSER) ? Found("") : std::nullopt;
}

Found new_privileges_allowed(const Evidence& evidence) {
    return evidence.no_new_privs ? std::nullopt : Found("");
}

// Since Linux 5.12 (db2e718a4798): who maps user 0 of outside could otherwise give files capabilities that
// count there.
Found root_without_setfcap(const Evidence& evidence) {
    std::istringstream lines(evidence.read("/proc/self/status").value_or(""));
    bool root = false;
    bool lacking = false;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        std::string name;
        std::string real;
        std::string effective;
        fields >> name >> real >> effective;
        if (name == "Uid:") root = effective == "0";
        if (name == "CapEff:")
            lacking = (std::strtoull(real.c_str(), nullptr, 16) & caps::bit(CAP_SETFCAP)) == 0;
    }
    return root && lacking ? Found("") : std::nullopt;
}

Found restricted_by_yama(const Evidence& evidence) {
    for (const char* value : {"2", "3"})
        if (const Found found = setting(evidence, "kernel.yama.ptrace_scope", value)) return found;
    return std::nullopt;
}

// Mounts below /proc: what an outer launcher hid.
Found maskings(const Evidence& evidence) {
    std::istringstream lines(evidence.read("/proc/self/mountinfo").value_or(""));
    std::string found;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        std::string skip;
        std::string point;
        fields >> skip >> skip >> skip >> skip >> point;
        // An automount point that nobody has entered hides nothing.
        if (!point.starts_with("/proc/") || line.find(" - autofs ") != std::string::npos) continue;
        if (!found.empty()) found += ", ";
        found += point;
    }
    return found.empty() ? std::nullopt : Found(found);
}

// CALL failed with ERRNO, and LOOK (if any) has found what is put in place of {}. The first row that fits is
// taken.
struct Row {
    std::string_view call;
    int error;
    Found (*look)(const Evidence&);
    std::string_view why;
    std::string_view hint;
};

constexpr std::string_view use_root =
    "run ctr with CAP_SYS_ADMIN (root usually has it), which needs no user namespace; have them allowed; or "
    "do without: --pidns=flat, outside of other containers, takes none if no option does";
constexpr std::string_view flat_hint =
    "--pidns=flat, which needs no new /proc; or, if what hides them is a ctr run of root's, "
    "--system-paths=host for that";
constexpr std::string_view allow_outside =
    "have it allowed outside: docker run --security-opt seccomp=unconfined, or an AppArmor profile that "
    "allows it";
constexpr std::string_view allow_mounts =
    "have them allowed outside; or do without: --pidns=flat, outside of other containers, takes none "
    "if no option does";
constexpr std::string_view make_it = "create it in the root file system";

constexpr std::string_view few_descriptors =
    "so few descriptors may be open (--ulimit nofile, or ulimit -n) that the start itself runs out of them";
constexpr std::string_view more_descriptors = "--ulimit nofile=64, or more";

constexpr std::string_view any_call;

constexpr Row rows[] = {
    {"clone3", ENOSPC, forbidden_by_limit, "{}, so no such namespace may be made",
     "raise it with sysctl -w, as root of the host"},
    {"clone3", ENOSPC, nullptr, "a limit on the number or the nesting of namespaces is reached",
     "look at user.max_*_namespaces; namespaces nest 32 deep"},
    {"clone3", EUSERS, nullptr, "user namespaces are nested too deeply", "start ctr further outside"},
    {"clone3", EPERM, forbidden_to_unprivileged, "{}: user namespaces are root's alone",
     "run ctr as root, or as root of the host: sysctl -w kernel.unprivileged_userns_clone=1"},
    {"clone3", EPERM, restricted_by_apparmor,
     "{}: AppArmor lets only programs with a profile make user namespaces",
     "run ctr as root, or give it an AppArmor profile with the rule \"userns\""},
    {"clone3", EPERM, user_namespace_wanted,
     "a security module, the filter of an outer container or a chroot forbids user namespaces", use_root},
    {"clone3", EPERM, nullptr, "a security module or the filter of an outer container forbids it",
     "--userns=yes"},
    {"clone3", EACCES, restricted_by_apparmor,
     "{}: AppArmor lets only programs with a profile make user namespaces",
     "run ctr as root, or give it an AppArmor profile with the rule \"userns\""},
    {"clone3", EACCES, nullptr, "a security module forbids it", use_root},
    {"clone3", EINVAL, nullptr, "the kernel was built without one of these namespaces",
     "zgrep _NS= /proc/config.gz"},
    {"clone3", EAGAIN, nullptr,
     "the limit on processes is reached: the container's (--pids-limit) or the user's",
     "ctr update --pids-limit N NAME, or look at ulimit -u and pids.max of the cgroup"},

    {"setns", EPERM, nullptr,
     "that takes CAP_SYS_ADMIN in the user namespace which owns those that are to be shared",
     "share user as well, or run ctr as root"},
    {"setns", EINVAL, nullptr,
     "the kernel can't join these namespaces of another process (before 5.8), or not together",
     "--share-with PID:KIND with fewer kinds"},
    {"setns", ESRCH, nullptr, "the process has just ended", ""},

    {"write", EPERM, restricted_by_apparmor, "{}: AppArmor takes all rights from new user namespaces",
     "run ctr as root, or give it an AppArmor profile with the rule \"userns\""},
    {"write", EPERM, root_without_setfcap,
     "user 0 may be mapped only by those with CAP_SETFCAP, which is missing",
     "start ctr as a user other than 0, or with CAP_SETFCAP"},
    {"write", EPERM, nullptr, "the caller may not map its own id",
     "start ctr with an id that exists in its namespace"},
    {"openat2", ENODEV, nullptr, "/proc is no procfs", "mount -t proc proc /proc before ctr is started"},
    {"openat2", EXDEV, nullptr, "something is mounted over this file of /proc", "start ctr further outside"},

    {"fsmount", EPERM, maskings,
     "the kernel refuses a new file system of this kind to those who can't see all of the outer one (\"mount "
     "too "
     "revealing\"), and parts of it are hidden here: {}",
     flat_hint},
    {"fsmount", EPERM, nullptr,
     "the kernel refuses a new file system of this kind to those who can't see all of the outer one (\"mount "
     "too "
     "revealing\"), and there is no full one here",
     flat_hint},
    {"fsconfig", EPERM, nullptr, "the file system may be mounted by the owner of its namespace only",
     flat_hint},
    {"fsconfig", EINVAL, nullptr,
     "the kernel refuses these directories: one of them can't be a layer (an upper one not on an overlay), "
     "or "
     "a user namespace would uncover what the host has mounted over parts of it",
     "a directory of its own, on a disk or a tmpfs"},
    {"fsopen", EPERM, nullptr, "CAP_SYS_ADMIN is missing, or the filter of an outer container forbids it",
     allow_outside},
    {"fsopen", ENODEV, nullptr, "the kernel has no such file system", ""},
    {"mount", EACCES, restricted_by_apparmor, "{}: AppArmor takes all rights from new user namespaces",
     "run ctr as root, or give it an AppArmor profile with the rule \"userns\""},
    {"mount", EPERM, nullptr, "a security module or the filter of an outer container forbids mounts",
     allow_mounts},
    {"mkdirat", EROFS, nullptr, "the directory is missing, and the root file system is read-only", make_it},
    {"mkdirat", EACCES, nullptr, "the directory is missing, and the caller may not create it", make_it},
    {"mkdirat", EPERM, nullptr, "the directory is missing, and the file system doesn't let one be created",
     make_it},
    {"mkdirat", ENOSPC, nullptr, "the directory is missing, and the file system is full", make_it},
    {"mkdirat", EOVERFLOW, nullptr, "the directory is missing, and its parent's owner has no id inside",
     make_it},
    {"mkdirat", ENOTDIR, nullptr, "something that is no directory is in the way", "remove it from the root"},
    {"mkdirat", ENOENT, nullptr, "a link that leads nowhere is in the way", "remove it from the root"},
    {"mkdirat", ELOOP, nullptr, "a loop of links is in the way", "remove it from the root"},
    {"mkdir", ENOENT, nullptr, "the directory that it would be made in isn't there",
     "make that first: --overlay makes its own only"},
    {"mkdir", EACCES, nullptr, "the caller may not create it there", "--overlay in a directory of one's own"},
    {"mkdir", EROFS, nullptr, "the file system there is read-only", "--overlay on one that isn't"},
    {"openat2", ELOOP, nullptr, "a link is in the way of a file system of the kernel, perhaps as a trap",
     "remove it from the root"},
    {"open_tree", EINVAL, nullptr, "the mount may not be copied: it is unbindable, or hides others below it",
     "a directory on another file system"},
    {"pivot_root", EINVAL, nullptr, "the current root is the initial RAM disk", "start ctr outside of it"},

    {"unshare", EPERM, nullptr, "a security module or the filter of an outer container forbids it",
     allow_outside},
    {"unshare", EINVAL, nullptr, "the kernel was built without namespaces of this kind", ""},
    {"unshare", ENOSPC, no_cgroup_namespaces, "{}, so no such namespace may be made",
     "raise it with sysctl -w, as root of the host"},
    {"setrlimit", EPERM, nullptr, "a hard limit above the caller's own takes CAP_SYS_RESOURCE",
     "a lower one (ulimit -H shows it), or as root without a user namespace"},
    {"ioctl TIOCGPTPEER", EINVAL, nullptr, "the kernel is too old", "Linux 4.13 or later"},
    {"setgroups", EPERM, nullptr, "CAP_SETGID is missing", "--userns=yes"},
    {"setresgid", EPERM, nullptr, "CAP_SETGID is missing", "--userns=yes"},
    {"setresuid", EPERM, nullptr, "CAP_SETUID is missing", "--userns=yes"},
    {"setresuid", EAGAIN, nullptr, "the user's limit on processes is reached", "ulimit -u"},
    {"prctl", EPERM, nullptr, "a capability that ctr needs is missing (CAP_SETPCAP)", "--userns=yes"},
    {"capset", EPERM, nullptr, "a capability that is to be kept is missing", "--cap-drop, or --userns=yes"},
    {"sethostname", EPERM, nullptr, "CAP_SYS_ADMIN is missing", "--userns=yes"},
    {"landlock_restrict_self", E2BIG, nullptr, "Landlock domains nest 16 deep", "start ctr further outside"},
    {"seccomp", EBUSY, nullptr,
     "ctr runs below another program that has a seccomp notification listener, and a process can have one "
     "only",
     "--pidns=kernel or --pidns=host, and --io-throttle=kernel, which need none"},
    {"seccomp", EACCES, new_privileges_allowed,
     "without no_new_privs a filter needs CAP_SYS_ADMIN, which is missing", "leave --no-new-privs=false out"},
    {"seccomp", EINVAL, nullptr, "the kernel has no seccomp filters with user notification",
     "--pidns=kernel"},

    {"ptrace", EPERM, restricted_by_yama, "{}: only those with CAP_SYS_PTRACE may trace, or nobody",
     "as root of the host: sysctl -w kernel.yama.ptrace_scope=1; or --pidns=kernel"},
    {"ptrace", EPERM, nullptr, "a security module or the filter of an outer container forbids it",
     "--pidns=kernel or --pidns=host, which trace nobody"},
    {"ptrace", EACCES, nullptr, "a security module forbids it",
     "--pidns=kernel or --pidns=host, which trace nobody"},
    {"process_vm_readv", EPERM, restricted_by_yama, "{}: only those with CAP_SYS_PTRACE may look, or nobody",
     "as root of the host: sysctl -w kernel.yama.ptrace_scope=1; or --pidns=kernel"},

    {"landlock_create_ruleset", EMFILE, nullptr, few_descriptors, more_descriptors},
    {"open", EMFILE, nullptr, few_descriptors, more_descriptors},
    {"openat", EMFILE, nullptr, few_descriptors, more_descriptors},
    {"openat2", EMFILE, nullptr, few_descriptors, more_descriptors},
    {"fsopen", EMFILE, nullptr, few_descriptors, more_descriptors},
    {"fsmount", EMFILE, nullptr, few_descriptors, more_descriptors},
    {"open_tree", EMFILE, nullptr, few_descriptors, more_descriptors},
    {"seccomp", EMFILE, nullptr, few_descriptors, more_descriptors},
    {"chdir", ENOENT, nullptr, "there is no such directory inside", "--workdir with one that exists"},
    {"chdir", ENOTDIR, nullptr, "it is not a directory", "--workdir with a directory"},
    {"chdir", EACCES, nullptr, "the user inside may not enter it", "--workdir with another one"},
    {"access", EACCES, nullptr, "it may not be executed by this user: its mode or a noexec mount forbids it",
     ""},
    {"stat", ELOOP, nullptr, "links on the way to it lead in a circle", ""},
    {"stat", EISDIR, nullptr, "a directory can't be executed", ""},
    {"stat", EACCES, nullptr, "a directory on the way to it is closed to this user", ""},
    {"execve", EACCES, nullptr, "it, or the interpreter that it names, may not be executed", ""},
    {"execve", E2BIG, nullptr, "arguments and environment are too long", "--env-clear"},

    {any_call, ENOSYS, nullptr, "the kernel is too old, or the filter of an outer container hides this call",
     "Linux 5.10 or later; fewer restrictions outside"},
};

std::string filled(std::string_view text, const std::string& found) {
    std::string result(text);
    if (const size_t gap = result.find("{}"); gap != std::string::npos) result.replace(gap, 2, found);
    return result;
}

}  // namespace

Error explain(Error error, const Evidence& evidence) {
    for (const Row& row : rows) {
        if ((row.call != error.call && row.call != any_call) || row.error != error.err) continue;
        const Found found = row.look == nullptr ? Found("") : row.look(evidence);
        if (!found) continue;
        error.why += (error.why.empty() ? "" : ": ") + filled(row.why, *found);
        if (error.hint.empty()) error.hint = row.hint;
        break;
    }
    return error;
}

bool is_foreseen(const Error& error) {
    constexpr std::string_view tried[] = {"clone3",  "mount",   "write",
                                          "fsopen",  "fsmount", "fsconfig",
                                          "unshare", "seccomp", "landlock_restrict_self"};
    return error.err == ENOSYS || std::ranges::find(tried, error.call) != std::end(tried);
}

Error explain(Error error, const Plan& plan) {
    Evidence evidence;
    evidence.clone_flags = plan.clone_flags;
    for (const Step& step : plan.steps)
        if (const auto* ids = std::get_if<action::SetCapabilities>(&step.action);
            ids != nullptr && ids->after_filter)
            evidence.no_new_privs = false;
    evidence.read = [](const std::string& path) -> Found {
        auto text = path::read_text(path);
        return text ? Found(std::move(*text)) : std::nullopt;
    };
    return explain(std::move(error), evidence);
}

}  // namespace ctr
