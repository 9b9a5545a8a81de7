// The rows of the pid surface (calls.h), as a constant: the monitor's table and the one inside workloads are
// both made from it. Freestanding.
#pragma once

#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sockios.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "pidns/surface/calls.h"
#include "pidns/surface/mark.h"

namespace ctr::pidns::surface {

using enum Kind;
using enum Way;
inline constexpr auto reap = After::reap;

inline constexpr uint64_t all_bits = ~uint64_t{0};
inline constexpr uint64_t low32 =
    0xffffffff;  // of an int, and of an ioctl's request, the kernel sees the low half
inline constexpr uint64_t ignored = 0;

constexpr Condition unless_own(uint8_t argument) {
    return {argument, true, low32, 0};
}
constexpr Condition only_if_not_zero(uint8_t argument) {
    return {argument, true, all_bits, 0};
}
constexpr Condition only_if(uint8_t argument, uint64_t mask, uint64_t value) {
    return {argument, false, mask, value};
}
constexpr Condition command(uint8_t argument, uint64_t value) {
    return only_if(argument, low32, value);
}

// Values that the headers of the oldest supported system don't have.
inline constexpr uint64_t pidfd_get_info = 0xff0b;  // PIDFD_GET_INFO: magic and number; its size grows
inline constexpr uint64_t pidfd_get_namespace = 0xff05, pidfd_get_childrens_namespace = 0xff06;
inline constexpr uint64_t ioctl_number = 0xffff;
inline constexpr uint64_t namespace_ioctl = 0xb700;  // NSIO of linux/nsfs.h
inline constexpr uint64_t negative = 0x80000000;
inline constexpr uint64_t one_signal = 128;  // sizeof(struct signalfd_siginfo)
inline constexpr uint64_t io_who_user = 3;   // IOPRIO_WHO_USER
inline constexpr uint64_t any_ipc_stat = 15, any_msg_stat = 13, shm_stat = 13, msg_stat = 11;
inline constexpr uint64_t user_mode_only = 1;                  // UFFD_USER_MODE_ONLY
inline constexpr uint64_t userfaultfd_new = 0xaa00;            // USERFAULTFD_IOC_NEW of /dev/userfaultfd
inline constexpr auto sched_core = static_cast<uint64_t>(62);  // PR_SCHED_CORE
inline constexpr long sys_fchmodat2 = 452;

#define NAMED(call) .number = SYS_##call, .name = #call
#define NAMED_WITH(call, detail) .number = SYS_##call, .name = #call " " detail
#define READ_SIGNALS(count)                                                                           \
    {                                                                                                 \
        NAMED_WITH(read, "signalfd x" #count), .group = "signals in", .way = dequeue, .sleeps = true, \
                                               .when = only_if(2, all_bits, (count)*one_signal)       \
    }

// Threads keep the kernel's numbers, so their creation needs no translation. Calls with an argument of 0 mean
// the caller itself and need none either, where nothing else changes.
inline constexpr Call rows[] = {
    {NAMED(getpid), .group = "identity", .way = answer, .result = process},
    {NAMED(gettid), .group = "identity", .way = answer, .result = thread},
    {NAMED(getppid), .group = "identity", .way = answer, .result = process},
    {NAMED(getpgrp), .group = "identity", .way = answer, .result = group},
    {NAMED(getpgid), .group = "identity", .way = answer, .arguments = {process}, .result = group},
    {NAMED(getsid), .group = "identity", .way = answer, .arguments = {process}, .result = group},
    {NAMED(setpgid), .group = "identity", .way = rewrite, .arguments = {process, group},
     .after = After::join_group},
    {NAMED(setsid), .group = "identity", .way = rewrite, .result = group, .after = After::lead_session},
    {NAMED_WITH(prctl, "layer_question"), .group = "identity", .way = answer,
     .when = command(0, layer_question)},

    {NAMED_WITH(prctl, "layer_attach"), .group = "identity", .way = answer, .when = command(0, layer_attach)},
    {NAMED_WITH(prctl, "layer_reaped"), .group = "identity", .way = answer, .when = command(0, layer_reaped)},
    {NAMED_WITH(prctl, "layer_quiet"), .group = "identity", .way = answer, .when = command(0, layer_quiet)},

    {NAMED(fork), .group = "creation", .way = create, .result = process},
    {NAMED(vfork), .group = "creation", .way = create, .result = process, .sleeps = true},
    {NAMED(clone), .group = "creation", .way = create, .result = process, .sleeps = true,
     .when = only_if(0, CLONE_THREAD, 0)},
    {NAMED(clone3), .group = "creation", .way = create, .result = process, .sleeps = true},
    // The kernel never sees CLONE_NEWPID: namespaces inside the container are the layer's own.
    {NAMED(unshare), .group = "creation", .way = enter, .after = After::enter_namespace,
     .when = only_if(0, CLONE_NEWPID, CLONE_NEWPID)},
    {NAMED(setns), .group = "creation", .way = enter, .after = After::enter_namespace},

    {NAMED(wait4), .group = "wait", .way = rewrite, .arguments = {wait_target}, .result = process,
     .after = reap, .sleeps = true},
    {NAMED(waitid), .group = "wait", .way = rewrite, .arguments = {none, wait_id},
     .writes = {Structure::siginfo, 2}, .after = reap, .sleeps = true},

    {NAMED(kill), .group = "signals out", .way = send, .arguments = {kill_target}},
    {NAMED(tkill), .group = "signals out", .way = send, .arguments = {thread}},
    {NAMED(tgkill), .group = "signals out", .way = send, .arguments = {process, thread_in}},
    {NAMED(rt_sigqueueinfo), .group = "signals out", .way = send, .arguments = {process}},
    {NAMED(rt_tgsigqueueinfo), .group = "signals out", .way = send, .arguments = {process, thread_in}},
    {NAMED(pidfd_send_signal), .group = "signals out", .way = send},

    // Carries no number, but says whether a signal can end a call that waits for the monitor, and whether a
    // handler gets to see who sent it (monitor/tracer.h).
    {NAMED(rt_sigaction), .group = "signals in", .way = observe, .when = only_if_not_zero(1)},
    {NAMED(rt_sigtimedwait), .group = "signals in", .way = rewrite, .writes = {Structure::siginfo, 1},
     .sleeps = true, .when = only_if_not_zero(1)},
    // A filter can't see what a descriptor is, and most reads are no signalfd's. These sizes are some (nearly
    // always the first, libev's the second), and rare elsewhere; not so 4, 8 and 32 times the structure.
    READ_SIGNALS(1),
    READ_SIGNALS(2),
    READ_SIGNALS(3),
    READ_SIGNALS(5),
    READ_SIGNALS(6),
    READ_SIGNALS(7),
    READ_SIGNALS(10),
    READ_SIGNALS(16),
    // Into one buffer; musl's stdio always has two.
    {NAMED_WITH(readv, "signalfd"), .group = "signals in", .way = dequeue, .sleeps = true,
     .when = only_if(2, all_bits, 1)},

    {NAMED_WITH(ioctl, "TIOCGPGRP"), .group = "terminals", .way = rewrite, .writes = {Structure::number, 2},
     .when = command(1, TIOCGPGRP)},
    {NAMED_WITH(ioctl, "TIOCGSID"), .group = "terminals", .way = rewrite, .writes = {Structure::number, 2},
     .when = command(1, TIOCGSID)},
    {NAMED_WITH(ioctl, "TIOCSPGRP"), .group = "terminals", .way = rewrite, .reads = {Structure::number, 2},
     .when = command(1, TIOCSPGRP)},

    {NAMED_WITH(fcntl, "F_SETOWN"), .group = "owners and locks", .way = rewrite,
     .arguments = {none, none, owner}, .when = command(1, F_SETOWN)},
    {NAMED_WITH(fcntl, "F_GETOWN"), .group = "owners and locks", .way = rewrite, .result = owner,
     .when = command(1, F_GETOWN)},
    {NAMED_WITH(fcntl, "F_SETOWN_EX"), .group = "owners and locks", .way = rewrite,
     .reads = {Structure::owner_ex, 2}, .when = command(1, __F_SETOWN_EX)},
    {NAMED_WITH(fcntl, "F_GETOWN_EX"), .group = "owners and locks", .way = rewrite,
     .writes = {Structure::owner_ex, 2}, .when = command(1, __F_GETOWN_EX)},
    {NAMED_WITH(ioctl, "FIOSETOWN"), .group = "owners and locks", .way = rewrite,
     .reads = {Structure::owner, 2}, .when = command(1, FIOSETOWN)},
    {NAMED_WITH(ioctl, "SIOCSPGRP"), .group = "owners and locks", .way = rewrite,
     .reads = {Structure::owner, 2}, .when = command(1, SIOCSPGRP)},
    {NAMED_WITH(ioctl, "FIOGETOWN"), .group = "owners and locks", .way = rewrite,
     .writes = {Structure::owner, 2}, .when = command(1, FIOGETOWN)},
    {NAMED_WITH(ioctl, "SIOCGPGRP"), .group = "owners and locks", .way = rewrite,
     .writes = {Structure::owner, 2}, .when = command(1, SIOCGPGRP)},
    {NAMED_WITH(fcntl, "F_GETLK"), .group = "owners and locks", .way = rewrite,
     .writes = {Structure::flock, 2}, .when = command(1, F_GETLK)},
    {NAMED_WITH(fcntl, "F_OFD_GETLK"), .group = "owners and locks", .way = rewrite,
     .writes = {Structure::flock, 2}, .when = command(1, F_OFD_GETLK)},

    {NAMED(sched_setparam), .group = "scheduling", .way = rewrite, .arguments = {thread},
     .when = unless_own(0)},
    {NAMED(sched_getparam), .group = "scheduling", .way = rewrite, .arguments = {thread},
     .when = unless_own(0)},
    {NAMED(sched_setscheduler), .group = "scheduling", .way = rewrite, .arguments = {thread},
     .when = unless_own(0)},
    {NAMED(sched_getscheduler), .group = "scheduling", .way = rewrite, .arguments = {thread},
     .when = unless_own(0)},
    {NAMED(sched_rr_get_interval), .group = "scheduling", .way = rewrite, .arguments = {thread},
     .when = unless_own(0)},
    {NAMED(sched_setaffinity), .group = "scheduling", .way = rewrite, .arguments = {thread},
     .when = unless_own(0)},
    {NAMED(sched_getaffinity), .group = "scheduling", .way = rewrite, .arguments = {thread},
     .when = unless_own(0)},
    {NAMED(sched_setattr), .group = "scheduling", .way = rewrite, .arguments = {thread},
     .when = unless_own(0)},
    {NAMED(sched_getattr), .group = "scheduling", .way = rewrite, .arguments = {thread},
     .when = unless_own(0)},
    {NAMED_WITH(getpriority, "PRIO_USER"), .group = "scheduling", .way = Way::user,
     .when = command(0, PRIO_USER)},
    {NAMED_WITH(setpriority, "PRIO_USER"), .group = "scheduling", .way = Way::user,
     .when = command(0, PRIO_USER)},
    {NAMED_WITH(ioprio_get, "IOPRIO_WHO_USER"), .group = "scheduling", .way = Way::user,
     .when = command(0, io_who_user)},
    {NAMED_WITH(ioprio_set, "IOPRIO_WHO_USER"), .group = "scheduling", .way = Way::user,
     .when = command(0, io_who_user)},
    {NAMED(getpriority), .group = "scheduling", .way = rewrite, .arguments = {none, who},
     .when = unless_own(1)},
    {NAMED(setpriority), .group = "scheduling", .way = rewrite, .arguments = {none, who},
     .when = unless_own(1)},
    {NAMED(ioprio_get), .group = "scheduling", .way = rewrite, .arguments = {none, io_who},
     .when = unless_own(1)},
    {NAMED(ioprio_set), .group = "scheduling", .way = rewrite, .arguments = {none, io_who},
     .when = unless_own(1)},
    {NAMED(prlimit64), .group = "scheduling", .way = rewrite, .arguments = {thread}, .when = unless_own(0)},
    {NAMED(capget), .group = "scheduling", .way = rewrite, .reads = {Structure::capability_header, 0}},
    {NAMED(capset), .group = "scheduling", .way = rewrite, .reads = {Structure::capability_header, 0}},
    {NAMED(kcmp), .group = "scheduling", .way = rewrite, .arguments = {thread, thread}},
    {NAMED(get_robust_list), .group = "scheduling", .way = rewrite, .arguments = {thread},
     .when = unless_own(0)},
    {NAMED(migrate_pages), .group = "scheduling", .way = rewrite, .arguments = {thread},
     .when = unless_own(0)},
    {NAMED(move_pages), .group = "scheduling", .way = rewrite, .arguments = {thread}, .all_used = true},
    {NAMED(process_vm_readv), .group = "scheduling", .way = rewrite, .arguments = {thread}, .all_used = true},
    {NAMED(process_vm_writev), .group = "scheduling", .way = rewrite, .arguments = {thread},
     .all_used = true},
    {NAMED(perf_event_open), .group = "scheduling", .way = rewrite, .arguments = {none, thread},
     .when = unless_own(1), .and_when = only_if(4, PERF_FLAG_PID_CGROUP, 0)},
    {NAMED(ptrace), .group = "scheduling", .way = Way::trace, .arguments = {none, thread}},

    {NAMED(pidfd_open), .group = "pidfd", .way = rewrite, .arguments = {process}},
    {NAMED_WITH(ioctl, "PIDFD_GET_INFO"), .group = "pidfd", .way = rewrite,
     .writes = {Structure::pidfd_info, 2}, .when = only_if(1, ioctl_number, pidfd_get_info)},

    {NAMED_WITH(ioctl, "PIDFD_GET_PID_NAMESPACE"), .group = "pidfd", .way = relate,
     .when = command(1, pidfd_get_namespace), .and_when = only_if(2, all_bits, 0)},
    {NAMED_WITH(ioctl, "PIDFD_GET_PID_FOR_CHILDREN_NAMESPACE"), .group = "pidfd", .way = relate,
     .when = command(1, pidfd_get_childrens_namespace), .and_when = only_if(2, all_bits, 0)},
    {NAMED_WITH(ioctl, "NS_GET_USERNS"), .group = "pidfd", .way = relate,
     .when = only_if(1, ioctl_number, namespace_ioctl + 1)},
    {NAMED_WITH(ioctl, "NS_GET_PARENT"), .group = "pidfd", .way = relate,
     .when = only_if(1, ioctl_number, namespace_ioctl + 2)},
    {NAMED_WITH(ioctl, "NS_GET_NSTYPE"), .group = "pidfd", .way = relate,
     .when = only_if(1, ioctl_number, namespace_ioctl + 3)},
    {NAMED_WITH(ioctl, "NS_GET_OWNER_UID"), .group = "pidfd", .way = relate,
     .when = only_if(1, ioctl_number, namespace_ioctl + 4)},
    {NAMED_WITH(ioctl, "NS_GET_PID_FROM_PIDNS"), .group = "pidfd", .way = relate,
     .when = only_if(1, ioctl_number, namespace_ioctl + 6)},
    {NAMED_WITH(ioctl, "NS_GET_TGID_FROM_PIDNS"), .group = "pidfd", .way = relate,
     .when = only_if(1, ioctl_number, namespace_ioctl + 7)},
    {NAMED_WITH(ioctl, "NS_GET_PID_IN_PIDNS"), .group = "pidfd", .way = relate,
     .when = only_if(1, ioctl_number, namespace_ioctl + 8)},
    {NAMED_WITH(ioctl, "NS_GET_TGID_IN_PIDNS"), .group = "pidfd", .way = relate,
     .when = only_if(1, ioctl_number, namespace_ioctl + 9)},

    {NAMED_WITH(prctl, "PR_SET_PTRACER"), .group = "prctl", .way = rewrite, .arguments = {none, process},
     .when = command(0, PR_SET_PTRACER)},
    // Not a number's. Who isn't dumpable is closed to a monitor that has no privilege over it, which couldn't
    // translate its paths and messages any more.
    {NAMED_WITH(prctl, "PR_SET_DUMPABLE"), .group = "prctl", .way = answer,
     .when = command(0, PR_SET_DUMPABLE), .and_when = only_if(1, all_bits, 0)},
    {NAMED_WITH(prctl, "PR_SCHED_CORE"), .group = "prctl", .way = rewrite, .arguments = {none, none, thread},
     .when = command(0, sched_core)},

    {NAMED(timer_create), .group = "timers", .way = rewrite, .arguments = {clock},
     .reads = {Structure::sigevent, 1}},
    {NAMED(clock_gettime), .group = "timers", .way = rewrite, .arguments = {clock},
     .when = only_if(0, negative, negative)},
    {NAMED(clock_settime), .group = "timers", .way = rewrite, .arguments = {clock},
     .when = only_if(0, negative, negative)},
    {NAMED(clock_getres), .group = "timers", .way = rewrite, .arguments = {clock},
     .when = only_if(0, negative, negative)},
    {NAMED(clock_nanosleep), .group = "timers", .way = rewrite, .arguments = {clock}, .sleeps = true,
     .when = only_if(0, negative, negative)},

    {NAMED_WITH(getsockopt, "SO_PEERCRED"), .group = "sockets", .way = rewrite,
     .writes = {Structure::credentials, 3}, .when = command(1, SOL_SOCKET),
     .and_when = command(2, SO_PEERCRED)},
    {NAMED(sendmsg), .group = "sockets", .way = message, .sleeps = true},
    {NAMED(sendmmsg), .group = "sockets", .way = message, .sleeps = true},
    {NAMED(recvmsg), .group = "sockets", .way = message, .sleeps = true},
    {NAMED(recvmmsg), .group = "sockets", .way = message, .sleeps = true},

    {NAMED_WITH(semctl, "GETPID"), .group = "System V IPC", .way = rewrite, .result = process,
     .when = command(2, GETPID)},
    {NAMED_WITH(shmctl, "IPC_STAT"), .group = "System V IPC", .way = rewrite,
     .writes = {Structure::shm_state, 2}, .when = command(1, IPC_STAT)},
    {NAMED_WITH(shmctl, "SHM_STAT"), .group = "System V IPC", .way = rewrite,
     .writes = {Structure::shm_state, 2}, .when = command(1, shm_stat)},
    {NAMED_WITH(shmctl, "SHM_STAT_ANY"), .group = "System V IPC", .way = rewrite,
     .writes = {Structure::shm_state, 2}, .when = command(1, any_ipc_stat)},
    {NAMED_WITH(msgctl, "IPC_STAT"), .group = "System V IPC", .way = rewrite,
     .writes = {Structure::msg_state, 2}, .when = command(1, IPC_STAT)},
    {NAMED_WITH(msgctl, "MSG_STAT"), .group = "System V IPC", .way = rewrite,
     .writes = {Structure::msg_state, 2}, .when = command(1, msg_stat)},
    {NAMED_WITH(msgctl, "MSG_STAT_ANY"), .group = "System V IPC", .way = rewrite,
     .writes = {Structure::msg_state, 2}, .when = command(1, any_msg_stat)},

    // Not a number's. Memory whose faults in the kernel wait for the program would let the monitor wait,
    // which reads it: answered as to one without the privilege, who may have UFFD_USER_MODE_ONLY.
    {NAMED(userfaultfd), .group = "memory", .way = answer, .when = only_if(0, user_mode_only, 0)},
    {NAMED_WITH(ioctl, "USERFAULTFD_IOC_NEW"), .group = "memory", .way = answer,
     .when = command(1, userfaultfd_new), .and_when = only_if(2, user_mode_only, 0)},

    // Not a number's either: the mapping of all numbers would be locked, which is large.
    {NAMED(mlockall), .group = "memory", .way = Way::lock},

    // Its events name their cause in the kernel's numbers, and are read in any size. Answered as to those
    // without the privilege (until Linux 5.13, and by most containers' filters).
    {NAMED(fanotify_init), .group = "events", .way = answer},

    // Which namespace a procfs shows is decided when it is mounted; that of the layer is the host's to the
    // kernel. (fsopen's argument is a type, not a path.)
    {NAMED(mount), .group = "/proc", .way = Way::mount, .path = {.path = 0}},
    {NAMED(fsopen), .group = "/proc", .way = Way::mount},

    {NAMED(open), .group = "/proc", .way = Way::path, .path = {.path = 0}, .changes = true},
    {NAMED(openat), .group = "/proc", .way = Way::path, .path = {0, 1}, .changes = true},
    {NAMED(openat2), .group = "/proc", .way = Way::path, .path = {0, 1}},
    {NAMED(stat), .group = "/proc", .way = Way::path, .path = {.path = 0}},
    {NAMED(lstat), .group = "/proc", .way = Way::path, .path = {.path = 0}},
    // Also without a path, or with an empty one: what is a file of ours must look like the one that it stands
    // for.
    {NAMED(fstat), .group = "/proc", .way = Way::path, .path = {.directory = 0}},
    {NAMED(newfstatat), .group = "/proc", .way = Way::path, .path = {0, 1}},
    {NAMED(statx), .group = "/proc", .way = Way::path, .path = {0, 1}},
    {NAMED(access), .group = "/proc", .way = Way::path, .path = {.path = 0}},
    {NAMED(faccessat), .group = "/proc", .way = Way::path, .path = {0, 1}},
    {NAMED(faccessat2), .group = "/proc", .way = Way::path, .path = {0, 1}},
    {NAMED(readlink), .group = "/proc", .way = Way::path, .path = {.path = 0}},
    {NAMED(readlinkat), .group = "/proc", .way = Way::path, .path = {0, 1}},
    {NAMED(execve), .group = "/proc", .way = Way::path, .path = {.path = 0}, .sleeps = true},
    {NAMED(execveat), .group = "/proc", .way = Way::path, .path = {0, 1}, .sleeps = true},
    {NAMED(chdir), .group = "/proc", .way = Way::path, .path = {.path = 0}},
    {NAMED(chroot), .group = "/proc", .way = Way::path, .path = {.path = 0}},
    {NAMED(statfs), .group = "/proc", .way = Way::path, .path = {.path = 0}},
    {NAMED(getxattr), .group = "/proc", .way = Way::path, .path = {.path = 0}},
    {NAMED(lgetxattr), .group = "/proc", .way = Way::path, .path = {.path = 0}},
    {NAMED(listxattr), .group = "/proc", .way = Way::path, .path = {.path = 0}},
    {NAMED(llistxattr), .group = "/proc", .way = Way::path, .path = {.path = 0}},
    {NAMED(inotify_add_watch), .group = "/proc", .way = Way::path, .path = {.path = 1}},
    {NAMED(name_to_handle_at), .group = "/proc", .way = Way::path, .path = {0, 1}},
    {NAMED(open_tree), .group = "/proc", .way = Way::path, .path = {0, 1}},
    // Below, calls that change what is there: of another process's /proc/N/root and cwd, mostly.
    {NAMED(creat), .group = "/proc", .way = Way::path, .path = {.path = 0}, .changes = true},
    {NAMED(truncate), .group = "/proc", .way = Way::path, .path = {.path = 0}, .changes = true},
    {NAMED(chmod), .group = "/proc", .way = Way::path, .path = {.path = 0}, .changes = true},
    {NAMED(fchmodat), .group = "/proc", .way = Way::path, .path = {0, 1}, .changes = true},
    {.number = sys_fchmodat2,
     .name = "fchmodat2",
     .group = "/proc",
     .way = Way::path,
     .path = {0, 1},
     .changes = true},
    {NAMED(chown), .group = "/proc", .way = Way::path, .path = {.path = 0}, .changes = true},
    {NAMED(lchown), .group = "/proc", .way = Way::path, .path = {.path = 0}, .changes = true},
    {NAMED(fchownat), .group = "/proc", .way = Way::path, .path = {0, 1}, .changes = true},
    {NAMED(utime), .group = "/proc", .way = Way::path, .path = {.path = 0}, .changes = true},
    {NAMED(utimes), .group = "/proc", .way = Way::path, .path = {.path = 0}, .changes = true},
    {NAMED(futimesat), .group = "/proc", .way = Way::path, .path = {0, 1}, .changes = true},
    {NAMED(utimensat), .group = "/proc", .way = Way::path, .path = {0, 1}, .changes = true},
    {NAMED(setxattr), .group = "/proc", .way = Way::path, .path = {.path = 0}, .changes = true},
    {NAMED(lsetxattr), .group = "/proc", .way = Way::path, .path = {.path = 0}, .changes = true},
    {NAMED(removexattr), .group = "/proc", .way = Way::path, .path = {.path = 0}, .changes = true},
    {NAMED(lremovexattr), .group = "/proc", .way = Way::path, .path = {.path = 0}, .changes = true},
    {NAMED(mkdir), .group = "/proc", .way = Way::path, .path = {.path = 0}},
    {NAMED(mkdirat), .group = "/proc", .way = Way::path, .path = {0, 1}},
    {NAMED(mknod), .group = "/proc", .way = Way::path, .path = {.path = 0}},
    {NAMED(mknodat), .group = "/proc", .way = Way::path, .path = {0, 1}},
    {NAMED(symlink), .group = "/proc", .way = Way::path, .path = {.path = 1}},
    {NAMED(symlinkat), .group = "/proc", .way = Way::path, .path = {1, 2}},
    {NAMED(unlink), .group = "/proc", .way = Way::path, .path = {.path = 0}, .changes = true},
    {NAMED(unlinkat), .group = "/proc", .way = Way::path, .path = {0, 1}, .changes = true},
    {NAMED(rmdir), .group = "/proc", .way = Way::path, .path = {.path = 0}},
    {NAMED(link), .group = "/proc", .way = Way::paths, .path = {.path = 0}, .second_path = {.path = 1},
     .changes = true},
    {NAMED(linkat), .group = "/proc", .way = Way::paths, .path = {0, 1}, .second_path = {2, 3},
     .changes = true},
    {NAMED(rename), .group = "/proc", .way = Way::paths, .path = {.path = 0}, .second_path = {.path = 1},
     .changes = true},
    {NAMED(renameat), .group = "/proc", .way = Way::paths, .path = {0, 1}, .second_path = {2, 3},
     .changes = true},
    {NAMED(renameat2), .group = "/proc", .way = Way::paths, .path = {0, 1}, .second_path = {2, 3},
     .changes = true},
    {NAMED(bind), .group = "/proc", .way = Way::address, .path = {.path = 1}},
    {NAMED(connect), .group = "/proc", .way = Way::address, .path = {.path = 1}, .sleeps = true},

    {NAMED(getdents64), .group = "/proc", .way = Way::list},
    {NAMED(getdents), .group = "/proc", .way = Way::list},
    {NAMED(getcwd), .group = "/proc", .way = Way::list},
    // To its beginning, from where a file of /proc shows what is true now.
    {NAMED(lseek), .group = "/proc", .way = Way::reread, .when = only_if(1, all_bits, 0),
     .and_when = command(2, SEEK_SET)},
    {NAMED(pread64), .group = "/proc", .way = Way::reread, .when = only_if(3, all_bits, 0)},
    {NAMED(preadv), .group = "/proc", .way = Way::reread, .when = only_if(3, all_bits, 0)},
    {NAMED(preadv2), .group = "/proc", .way = Way::reread, .when = only_if(3, all_bits, 0)},

    // What a ring does passes by the filter: it waits for children (IORING_OP_WAITID), opens paths, reads
    // signalfds and receives credentials, in the kernel's numbers. Restricted to what carries none
    // (IORING_REGISTER_RESTRICTIONS) a ring would fail those who have another way on kernels without rings;
    // so this is one, as gVisor is and as most containers' filters make it.
    {NAMED(io_uring_setup), .group = "io_uring", .way = answer},
};

#undef NAMED
#undef NAMED_WITH
#undef READ_SIGNALS

constexpr bool holds(const Condition& condition, const uint64_t* arguments) {
    if (condition.mask == ignored) return true;
    return ((arguments[condition.argument] & condition.mask) == condition.value) != condition.differs;
}

// For each call its first row, and for each row the call's next one: numbers of rows, counted from 1.
inline constexpr unsigned row_count = sizeof rows / sizeof rows[0];
inline constexpr unsigned call_count =
    512;  // x86-64's own; the next are x32's, which have a bit of their own
struct Index {
    uint8_t first[call_count] = {};
    uint8_t next[row_count + 1] = {};
};
constexpr Index index_of_rows() {
    static_assert(row_count < 256);
    Index index;
    for (unsigned row = row_count; row > 0; --row) {
        uint8_t& first = index.first[rows[row - 1].number];
        index.next[row] = first;
        first = static_cast<uint8_t>(row);
    }
    return index;
}

}  // namespace ctr::pidns::surface
