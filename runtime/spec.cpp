#include "runtime/spec.h"

#include <algorithm>
#include <cctype>

#include "runtime/namespaces.h"
#include "runtime/state.h"

namespace ctr {

namespace {

// The kernel's own bounds for kernel.pid_max.
constexpr uint32_t least_pid_max = 301;
constexpr uint32_t most_pid_max = 1U << 22;

constexpr size_t longest_hostname = 64;  // __NEW_UTS_LEN
constexpr uint32_t no_id = UINT32_MAX;   // "leave unchanged" to setresuid: no id of anybody

Status check_command(const Spec& spec) {
    const char* step = "read the command";
    if (spec.rehearse) return {};
    if (spec.command.empty())
        return fail_input(step, "there is none", "ctr run [options] -- COMMAND [ARGUMENT...]");
    if (spec.command.front().empty()) return fail_input(step, "its name is empty");
    for (const std::string& word : spec.command)
        if (word.find('\0') != std::string::npos) return fail_input(step, "an argument contains a NUL byte");
    return {};
}

Status check_env(const Spec& spec) {
    for (const auto& [name, value] : spec.env) {
        if (name.empty() || name.find('=') != std::string::npos ||
            (name + value).find('\0') != std::string::npos)
            return fail_input("read the environment", "\"" + name + "\" is no name of a variable",
                              "-e NAME=VALUE, or -e NAME to pass on the caller's");
    }
    return {};
}

Status check_path(const std::string& path, const std::string& option) {
    if (path.find('\0') != std::string::npos)
        return fail_input("read " + option, "the path contains a NUL byte");
    return {};
}

Status check_workdir(const Spec& spec) {
    if (!spec.workdir.empty() && spec.workdir.front() != '/')
        return fail_input("read --workdir", "\"" + spec.workdir + "\" is not absolute",
                          "a path that begins with /, as seen inside");
    return check_path(spec.workdir, "--workdir");
}

Status check_hostname(const Spec& spec) {
    const char* step = "read --hostname";
    if (spec.hostname.size() > longest_hostname)
        return fail_input(step, "\"" + spec.hostname + "\" has " + std::to_string(spec.hostname.size()) +
                                    " characters; the kernel keeps 64");
    const bool good = std::all_of(spec.hostname.begin(), spec.hostname.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_';
    });
    if (!good)
        return fail_input(step, "\"" + spec.hostname + "\" is no host name",
                          "letters, digits, '-', '_' and '.'");
    return {};
}

Status check_mounts(const Spec& spec) {
    return validate(spec.mounts);
}

// Without a namespace of its own, a container can't have what would be set up in it.
Status check_shared(const Spec& spec) {
    if (spec.uts == Scope::host && !spec.hostname.empty())
        return fail_input("read --hostname", "it would be the host's too", "leave --uts=host out");
    const uint64_t kinds = shared_kinds(spec);
    const bool pids = (kinds & CLONE_NEWPID) != 0;
    const bool own_root = !spec.rootfs.empty() || spec.read_only || !spec.mounts.empty();
    struct Conflict {
        bool given;
        uint64_t kind;
        const char* option;
    };
    const Conflict conflicts[] = {
        {!spec.hostname.empty(), CLONE_NEWUTS, "--hostname"},
        {own_root, CLONE_NEWNS, "a root file system or mounts of its own"},
        {spec.network == Network::none, CLONE_NEWNET, "--network none"},
        {spec.userns != UserNamespace::automatic && spec.userns != UserNamespace::no, CLONE_NEWUSER,
         "--userns"},
        {spec.clocks.has_value(), CLONE_NEWTIME, "--time"}};
    for (const Conflict& conflict : conflicts)
        if (conflict.given && (kinds & conflict.kind) != 0)
            return fail_input("read --share-with",
                              std::string(conflict.option) + " and a shared " +
                                  namespaces::names(conflict.kind) + " namespace don't go together",
                              "name the kinds to share, as in --share-with PID:net,ipc");
    if (pids && spec.pidns != PidMode::kernel)
        return fail_input("read --share-with", "process numbers can be shared under --pidns=kernel only",
                          "--pidns=kernel, or other kinds");
    if (spec.pidns == PidMode::kernel && !pids && (kinds & CLONE_NEWNS) != 0)
        return fail_input("read --share-with",
                          "the /proc of a shared mount namespace doesn't show a new pid namespace",
                          "share pid as well, or leave mount out");
    return {};
}

Status check_overlay(const Spec& spec) {
    if (!spec.overlay) return {};
    if (spec.rootfs.empty())
        return fail_input("read --overlay", "there is no root file system to lay it over", "--rootfs DIR");
    return check_path(spec.overlay->upper, "--overlay");
}

Status check_user(const Spec& spec) {
    if (spec.user && (spec.user->uid == no_id || spec.user->gid == no_id))
        return fail_input("read --user", "4294967295 means \"no id\" to the kernel",
                          "an id from 0 to 4294967294");
    return {};
}

Status check_life(const Spec& spec) {
    if (spec.registration && spec.registration->detached && spec.terminal)
        return fail_input("read --tty", "nobody is connected to the terminal of a detached container",
                          "either --detach or --tty");
    if (spec.registration && spec.registration->detached && spec.die_with_parent)
        return fail_input("read --die-with-parent", "a detached container goes on without its parent",
                          "either --detach or --die-with-parent");
    if (spec.registration && !spec.registration->name.empty()) return check_new_name(spec.registration->name);
    return {};
}

Status check_limits(const Spec& spec) {
    for (size_t i = 0; i < spec.ulimits.size(); ++i)
        for (size_t j = 0; j < i; ++j)
            if (spec.ulimits[i].resource == spec.ulimits[j].resource)
                return fail_input("read --ulimit", "\"" + format(spec.ulimits[j]) + "\" and \"" +
                                                       format(spec.ulimits[i]) + "\" contradict each other");
    for (const cgroup::IoLimit& limit : spec.limits.io)
        for (const cgroup::IoQuantity& quantity : cgroup::io_quantities)
            if (spec.io_throttle == IoThrottle::kernel && quantity.pace != nullptr &&
                (limit.*quantity.pace).strategy != cgroup::Strategy::any)
                return fail_input("read --io-throttle",
                                  "the limit of the " + std::string(quantity.words) + " of " + limit.path +
                                      " names a strategy, and the kernel has its own",
                                  "--io-throttle=user, or leave the strategy out");
    return cgroup::validate(spec.limits);
}

Status check_seccomp(const Spec& spec) {
    if (spec.seccomp.empty())
        return fail_input("read --seccomp", "the value is empty", "a profile's file, default or off");
    return check_path(spec.seccomp, "--seccomp");
}

}  // namespace

const char* word_for(PidMode mode) {
    switch (mode) {
        case PidMode::flat: return "flat";
        case PidMode::multi: return "multi";
        case PidMode::kernel: return "kernel";
        case PidMode::host: break;
    }
    return "host";
}

uint64_t shared_kinds(const Spec& spec) {
    if (!spec.share_with) return 0;
    if (spec.share_with->kinds != 0) return spec.share_with->kinds;
    return spec.pidns == PidMode::kernel ? namespaces::all : namespaces::all & ~uint64_t{CLONE_NEWPID};
}

Status validate(const Spec& spec) {
    const bool ours = spec.pidns == PidMode::flat || spec.pidns == PidMode::multi;
    if (spec.pid_max != 0 && !ours)
        return fail_input("read the limit of process numbers",
                          "only flat and multi numbering have one of their own",
                          "--pidns=flat or --pidns=multi with --pid-max");
    if (spec.pid_max != 0 && (spec.pid_max < least_pid_max || spec.pid_max > most_pid_max))
        return fail_input("read the limit of process numbers", std::to_string(spec.pid_max) + " is none",
                          "a number from 301 to 4194304, as for kernel.pid_max");
    for (const auto check :
         {check_command, check_env, check_workdir, check_hostname, check_user, check_overlay, check_mounts,
          check_shared, check_limits, check_seccomp, check_life})
        if (const auto status = check(spec); !status) return status;
    return check_path(spec.rootfs, "--rootfs");
}

}  // namespace ctr
