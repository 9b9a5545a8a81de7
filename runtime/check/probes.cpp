#include "runtime/check/probes.h"

#include <linux/prctl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/base/path.h"
#include "runtime/check/calls.h"
#include "runtime/check/subordinate.h"
#include "runtime/landlock.h"

namespace ctr::check {

namespace {

// What a call that may be refused is good for; the words are shown where it isn't there.
struct Use {
    const char* (*call)();
    const char* since;    // the kernel that has it
    const char* without;  // what that means for ctr
};

Finding use(const Use& wanted) {
    const Status status = attempt_call("ask the kernel", wanted.call);
    Finding found = finding(status, "", wanted.without);
    const int error = status ? 0 : status.error().err;
    if (error == ENOSYS || error == EINVAL)
        found.reason += std::string("; Linux ") + wanted.since + " or later has it";
    return found;
}

constexpr const char* needed_by_layer = "--pidns=kernel or --pidns=host, which do without";
constexpr const char* needed_always = "ctr can't do without it";

constexpr Use filter{calls::install_filter, "3.5", needed_by_layer};
constexpr Use listener{calls::install_listener, "5.0", needed_by_layer};
constexpr Use patient{calls::install_patient_listener, "5.19",
                      "ctr does without: a signal can end a call that is being served"};
constexpr Use go_on{calls::let_a_call_go_on, "5.5", needed_by_layer};
constexpr Use add_descriptor{calls::add_a_descriptor, "5.9", needed_by_layer};
constexpr Use trace{calls::trace_a_child, "3.4", needed_by_layer};
constexpr Use read_memory{calls::read_a_childs_memory, "3.2", needed_by_layer};
constexpr Use open_memory{calls::open_a_childs_memory, "2.6.39", needed_by_layer};
constexpr Use pidfd{calls::use_a_pidfd, "5.3", needed_always};
constexpr Use take_descriptor{calls::get_a_descriptor, "5.6",
                              "ctr does without: it opens the files of /proc again"};
constexpr Use range{calls::close_a_range, "5.9", needed_always};
constexpr Use resolve{calls::resolve_in_root, "5.6", needed_always};
constexpr Use structure{calls::clone_by_structure, "5.3", "ctr uses clone instead"};
constexpr Use terminal{calls::open_a_terminal, "2.6", ""};

template <const Use& wanted>
Finding look(const Situation&) {
    return use(wanted);
}

// A process can have one listener only, and below an outer ctr nobody needs a second one.
template <const Use& wanted>
Finding look_at_listener(const Situation& situation) {
    Finding found = use(wanted);
    if (situation.facts.numbered && found.state == State::no)
        found.advice = "none is needed here: the outer ctr numbers what is started inside";
    return found;
}

// ---- /proc

Finding memory_file(const Situation& situation) {
    if (numbers_agree(situation.facts)) return use(open_memory);
    return {State::no, "/proc shows other processes under the numbers of ours", open_memory.without};
}

Finding own_procfs(const Situation& situation) {
    if (situation.facts.numbered) return {State::yes, "it is translated by the outer ctr", ""};
    if (numbers_agree(situation.facts)) return {State::yes, "", ""};
    return {State::no, "it shows another pid namespace: its numbers mean other processes",
            "mount -t proc proc /proc (unshare has --mount-proc), or --pidns=kernel"};
}

Finding fresh_procfs(const Situation& situation) {
    std::vector<Step> steps;
    steps.push_back({"mount a fresh /proc", action::Mount{"proc", "/proc", {}, MOUNT_ATTR_NOSUID, 0555}});
    Finding found =
        finding(attempt_inside(situation, CLONE_NEWPID, std::move(steps)), "in a new pid namespace",
                "--pidns=flat, which binds the /proc that is there and translates it");
    if (situation.facts.numbered && found.state == State::no)
        found.advice = "none is needed here: mount gives the /proc of the outer ctr, which translates it";
    return found;
}

// ---- mounts

Finding new_file_system(const Situation& situation) {
    std::vector<Step> steps;
    steps.push_back({"mount a tmpfs", action::Mount{"tmpfs", "/proc", {}, MOUNT_ATTR_NOSUID, 0555}});
    return finding(attempt_inside(situation, 0, std::move(steps)), "fsopen, fsmount, open_tree, move_mount",
                   "without it there is no --rootfs");
}

Finding changed_mount(const Situation& situation) {
    std::vector<Step> steps;
    steps.push_back({"change a detached mount", action::Try{calls::change_a_detached_mount}});
    return finding(attempt_inside(situation, 0, std::move(steps)), "",
                   "ctr changes mounts one by one instead; Linux 5.12 or later has it");
}

// ---- ids

Finding own_id(const Situation& situation) {
    idmap::Identity identity = situation.identity;
    identity.new_user_namespace = true;
    return finding(attempt(CLONE_NEWUSER, idmap::map_steps(identity, situation.facts)),
                   std::to_string(situation.facts.uid) + ", in a new user namespace", "");
}

// ---- the rest

Finding landlock_scope(const Situation& situation) {
    constexpr const char* without =
        "flat and multi: a program of root's that knows the host's numbers can signal host processes";
    const int abi = situation.facts.landlock_abi;
    if (abi == 0) return {State::no, "the kernel has none, or it is switched off", without};
    const std::string version = "ABI " + std::to_string(abi);
    if (abi < landlock::signal_scope_abi)
        return {State::limited, version + ": signals are kept inside by ABI 6 (Linux 6.12) or later",
                without};
    std::vector<Step> steps;
    steps.push_back(
        {"forbid new privileges", action::Control{PR_SET_NO_NEW_PRIVS, 1, "PR_SET_NO_NEW_PRIVS"}});
    steps.push_back({"keep signals inside", action::Confine{}});
    return finding(attempt(0, std::move(steps)), version + ", keeps signals inside", without);
}

Finding own_terminal(const Situation&) {
    if (isatty(STDIN_FILENO) == 0) return {State::no, "standard input is none", ""};
    return {State::limited, "the command gets it as it is", "shells in a container have no job control yet"};
}

Finding autogroup(const Situation&) {
    const auto text = path::read_text("/proc/sys/kernel/sched_autogroup_enabled");
    if (!text) return {State::no, "the kernel has none", ""};
    if (text->starts_with("0")) return {State::no, "kernel.sched_autogroup_enabled = 0", ""};
    return {State::yes, "each container, a session of its own, competes for the processors as one", ""};
}

constexpr Probe table[] = {
    {"proc", "own", own_procfs},
    {"proc", "fresh", fresh_procfs},
    {"ids", "own", own_id},
    {"ids", "subordinate", map_another_id},
    {"mounts", "new file systems", new_file_system},
    {"mounts", "mount_setattr", changed_mount},
    {"seccomp", "filter", look<filter>},
    {"seccomp", "notification", look_at_listener<listener>},
    {"seccomp", "continue", look_at_listener<go_on>},
    {"seccomp", "add descriptor", look_at_listener<add_descriptor>},
    {"seccomp", "killable wait", look_at_listener<patient>},
    {"tracing", "ptrace", look<trace>},
    {"tracing", "process_vm_readv", look<read_memory>},
    {"tracing", "/proc/PID/mem", memory_file},
    {"kernel", "Landlock", landlock_scope},
    {"kernel", "clone3", look<structure>},
    {"kernel", "pidfd", look<pidfd>},
    {"kernel", "pidfd_getfd", look<take_descriptor>},
    {"kernel", "close_range", look<range>},
    {"kernel", "openat2", look<resolve>},
    {"kernel", "autogroup", autogroup},
    {"terminal", "own", own_terminal},
    {"terminal", "new", look<terminal>},
};

}  // namespace

std::span<const Probe> probes() {
    return table;
}

}  // namespace ctr::check
