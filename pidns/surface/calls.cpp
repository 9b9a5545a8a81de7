#include "pidns/surface/calls.h"

#include <asm/ioctls.h>
#include <linux/sched.h>
#include <sys/syscall.h>

#include "pidns/surface/mark.h"

namespace ctr::pidns {

namespace {

using enum Kind;
using enum Way;
constexpr auto siginfo_out = Memory::siginfo_out;
constexpr auto reap = After::reap;
constexpr bool sleeping = true;

constexpr uint64_t low32 =
    0xffffffff;  // the kernel looks at the low half only of an int, and of an ioctl's request
constexpr uint64_t ignored = 0;

constexpr Condition unless_own(uint8_t argument) {
    return {argument, true, low32, 0};
}
constexpr Condition only_if_not_zero(uint8_t argument) {
    return {argument, true, ~uint64_t{0}, 0};
}
constexpr Condition only_if(uint8_t argument, uint64_t mask, uint64_t value) {
    return {argument, false, mask, value};
}

// Threads keep the kernel's numbers, so their creation needs no translation. Calls with an argument of 0 mean
// the caller itself and need none either, where nothing else changes.
constexpr Call rows[] = {
    {.number = SYS_getpid, .name = "getpid", .group = "identity", .way = answer, .result = process},
    {.number = SYS_gettid, .name = "gettid", .group = "identity", .way = answer, .result = thread},
    {.number = SYS_getppid, .name = "getppid", .group = "identity", .way = answer, .result = process},
    {.number = SYS_getpgrp, .name = "getpgrp", .group = "identity", .way = answer, .result = group},
    {.number = SYS_getpgid,
     .name = "getpgid",
     .group = "identity",
     .way = answer,
     .arguments = {process},
     .result = group},
    {.number = SYS_getsid,
     .name = "getsid",
     .group = "identity",
     .way = answer,
     .arguments = {process},
     .result = group},
    {.number = SYS_setpgid,
     .name = "setpgid",
     .group = "identity",
     .way = rewrite,
     .arguments = {process, group},
     .after = After::join_group},
    {.number = SYS_setsid,
     .name = "setsid",
     .group = "identity",
     .way = rewrite,
     .result = group,
     .after = After::lead_session},

    {.number = SYS_prctl,
     .name = "prctl layer_question",
     .group = "identity",
     .way = answer,
     .when = only_if(0, low32, layer_question)},

    {.number = SYS_fork, .name = "fork", .group = "creation", .way = create, .result = process},
    {.number = SYS_vfork,
     .name = "vfork",
     .group = "creation",
     .way = create,
     .result = process,
     .sleeps = sleeping},
    {.number = SYS_clone,
     .name = "clone",
     .group = "creation",
     .way = create,
     .result = process,
     .sleeps = sleeping,
     .when = only_if(0, CLONE_THREAD, 0)},
    {.number = SYS_clone3,
     .name = "clone3",
     .group = "creation",
     .way = create,
     .result = process,
     .sleeps = sleeping},
    // The kernel never sees CLONE_NEWPID: namespaces inside the container are the layer's own.
    {.number = SYS_unshare,
     .name = "unshare",
     .group = "creation",
     .way = enter,
     .after = After::enter_namespace,
     .when = only_if(0, CLONE_NEWPID, CLONE_NEWPID)},
    {.number = SYS_setns,
     .name = "setns",
     .group = "creation",
     .way = enter,
     .after = After::enter_namespace},

    {.number = SYS_wait4,
     .name = "wait4",
     .group = "wait",
     .way = rewrite,
     .arguments = {wait_target},
     .result = process,
     .after = reap,
     .sleeps = sleeping},
    {.number = SYS_waitid,
     .name = "waitid",
     .group = "wait",
     .way = rewrite,
     .arguments = {none, wait_id},
     .memory = siginfo_out,
     .memory_argument = 2,
     .after = reap,
     .sleeps = sleeping},

    {.number = SYS_kill, .name = "kill", .group = "signals out", .way = send, .arguments = {kill_target}},
    {.number = SYS_tkill, .name = "tkill", .group = "signals out", .way = send, .arguments = {thread}},
    {.number = SYS_tgkill,
     .name = "tgkill",
     .group = "signals out",
     .way = send,
     .arguments = {process, thread_in}},
    {.number = SYS_rt_sigqueueinfo,
     .name = "rt_sigqueueinfo",
     .group = "signals out",
     .way = send,
     .arguments = {process}},
    {.number = SYS_rt_tgsigqueueinfo,
     .name = "rt_tgsigqueueinfo",
     .group = "signals out",
     .way = send,
     .arguments = {process, thread_in}},

    {.number = SYS_pidfd_send_signal, .name = "pidfd_send_signal", .group = "signals out", .way = send},

    // Which namespace a procfs shows is decided when it is mounted; that of the layer is the host's to the
    // kernel.
    {.number = SYS_mount, .name = "mount", .group = "/proc", .way = Way::mount, .when = only_if_not_zero(2)},
    {.number = SYS_fsopen, .name = "fsopen", .group = "/proc", .way = Way::mount},

    // Carries no number, but says whether a signal can end a call that waits for the monitor
    // (monitor/tracer.h).
    {.number = SYS_rt_sigaction,
     .name = "rt_sigaction",
     .group = "signals in",
     .way = observe,
     .when = only_if_not_zero(1)},

    {.number = SYS_ioctl,
     .name = "ioctl TIOCGPGRP",
     .group = "terminals",
     .way = rewrite,
     .memory = Memory::group_out,
     .memory_argument = 2,
     .when = only_if(1, low32, TIOCGPGRP)},
    {.number = SYS_ioctl,
     .name = "ioctl TIOCGSID",
     .group = "terminals",
     .way = rewrite,
     .memory = Memory::group_out,
     .memory_argument = 2,
     .when = only_if(1, low32, TIOCGSID)},
    {.number = SYS_ioctl,
     .name = "ioctl TIOCSPGRP",
     .group = "terminals",
     .way = rewrite,
     .memory = Memory::group_in,
     .memory_argument = 2,
     .when = only_if(1, low32, TIOCSPGRP)},

    {.number = SYS_pidfd_open,
     .name = "pidfd_open",
     .group = "pidfd",
     .way = rewrite,
     .arguments = {process}},

    {.number = SYS_sched_setparam,
     .name = "sched_setparam",
     .group = "scheduling",
     .way = rewrite,
     .arguments = {thread},
     .when = unless_own(0)},
    {.number = SYS_sched_getparam,
     .name = "sched_getparam",
     .group = "scheduling",
     .way = rewrite,
     .arguments = {thread},
     .when = unless_own(0)},
    {.number = SYS_sched_setscheduler,
     .name = "sched_setscheduler",
     .group = "scheduling",
     .way = rewrite,
     .arguments = {thread},
     .when = unless_own(0)},
    {.number = SYS_sched_getscheduler,
     .name = "sched_getscheduler",
     .group = "scheduling",
     .way = rewrite,
     .arguments = {thread},
     .when = unless_own(0)},
    {.number = SYS_sched_rr_get_interval,
     .name = "sched_rr_get_interval",
     .group = "scheduling",
     .way = rewrite,
     .arguments = {thread},
     .when = unless_own(0)},
    {.number = SYS_sched_setaffinity,
     .name = "sched_setaffinity",
     .group = "scheduling",
     .way = rewrite,
     .arguments = {thread},
     .when = unless_own(0)},
    {.number = SYS_sched_getaffinity,
     .name = "sched_getaffinity",
     .group = "scheduling",
     .way = rewrite,
     .arguments = {thread},
     .when = unless_own(0)},
    {.number = SYS_sched_setattr,
     .name = "sched_setattr",
     .group = "scheduling",
     .way = rewrite,
     .arguments = {thread},
     .when = unless_own(0)},
    {.number = SYS_sched_getattr,
     .name = "sched_getattr",
     .group = "scheduling",
     .way = rewrite,
     .arguments = {thread},
     .when = unless_own(0)},
    {.number = SYS_getpriority,
     .name = "getpriority",
     .group = "scheduling",
     .way = rewrite,
     .arguments = {none, who},
     .when = unless_own(1)},
    {.number = SYS_setpriority,
     .name = "setpriority",
     .group = "scheduling",
     .way = rewrite,
     .arguments = {none, who},
     .when = unless_own(1)},
    {.number = SYS_prlimit64,
     .name = "prlimit64",
     .group = "scheduling",
     .way = rewrite,
     .arguments = {thread},
     .when = unless_own(0)},
};

constexpr bool holds(const Condition& condition, const uint64_t* arguments) {
    if (condition.mask == ignored) return true;
    return ((arguments[condition.argument] & condition.mask) == condition.value) != condition.differs;
}

}  // namespace

Calls calls() {
    return {rows, rows + sizeof rows / sizeof rows[0]};
}

const Call* find_call(long number, const uint64_t* arguments) {
    for (const Call& row : rows)
        if (row.number == number && holds(row.when, arguments)) return &row;
    return nullptr;
}

}  // namespace ctr::pidns
