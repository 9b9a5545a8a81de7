/* waitid: P_PID, P_PGID, P_PIDFD, P_ALL; what it fills in; WNOWAIT. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/resource.h>

#include "conformance.h"

static siginfo_t info;

static void call(const char* what, int type, pid_t id, int options) {
    memset(&info, 0, sizeof info);
    const int done = raw_waitid(type, id, &info, options);
    fact("%s=%s", what, result(done));
    if (done != 0) return;
    fact("si_pid=%s", who(info.si_pid));
    fact("si_signo=%d", info.si_signo);
    fact("si_code=%d", info.si_code);
    fact("si_status=%d", info.si_status);
}

static void by_number(void) {
    const pid_t child = child_that_exits("child", 4);
    call("pid", P_PID, child, WEXITED);
    call("again", P_PID, child, WEXITED);
}

static void any(void) {
    const pid_t child = child_that_waits("child");
    call("nothing", P_ALL, 0, WEXITED | WNOHANG);
    kill(child, SIGKILL);
    call("all", P_ALL, 0, WEXITED);
    call("none", P_ALL, 0, WEXITED);
    child_that_exits("second", 3);
    call("id-ignored", P_ALL, 12345, WEXITED);
}

static void groups(void) {
    const pid_t leader = child_that_waits("leader");
    setpgid(leader, leader);
    const pid_t member = child_that_exits("member", 2);
    call("own-group", P_PGID, getpgrp(), WEXITED);
    call("own-group-0", P_PGID, 0, WEXITED | WNOHANG);
    kill(leader, SIGTERM);
    call("group", P_PGID, leader, WEXITED);
    call("empty-group", P_PGID, leader, WEXITED);
    call("unknown-group", P_PGID, unknown_pid, WEXITED);
    (void)member;
}

static void zero_group(void) {
    child_that_exits("child", 2);
    call("zero", P_PGID, 0, WEXITED);
}

static void look_twice(void) {
    const pid_t child = child_that_exits("child", 6);
    call("look", P_PID, child, WEXITED | WNOWAIT);
    call("look-any", P_ALL, 0, WEXITED | WNOWAIT);
    fact("still-there=%s", result(kill(child, 0)));
    fact("reap: %s", reap(child));
    call("then", P_PID, child, WEXITED | WNOWAIT);
    fact("gone=%s", result(kill(child, 0)));
}

/* A number that WNOWAIT has shown isn't given to another process. */
static void looked_at_is_not_reused(void) {
    const pid_t child = child_that_exits("child", 6);
    int reused = 0;
    raw_waitid(P_PID, child, &info, WEXITED | WNOWAIT);
    for (int i = 0; i < 40; ++i) {
        const pid_t other = offspring();
        if (other == 0) _exit(0);
        reused |= other == child;
        waitpid(other, NULL, 0);
    }
    fact("reused=%s", yes(reused));
    call("reap", P_PID, child, WEXITED);
}

static void stops(void) {
    const pid_t child = child_that_waits("child");
    kill(child, SIGSTOP);
    call("look", P_PID, child, WSTOPPED | WNOWAIT);
    call("stop", P_PID, child, WSTOPPED);
    call("once", P_PID, child, WSTOPPED | WNOHANG);
    kill(child, SIGCONT);
    call("continue", P_ALL, 0, WCONTINUED);
    kill(child, SIGTERM);
    call("end", P_ALL, 0, WEXITED | WSTOPPED | WCONTINUED);
}

static void by_pidfd(void) {
    int pidfd = -1;
    const long child = raw_clone(CLONE_PIDFD | SIGCHLD, &pidfd, NULL);
    if (child == 0)
        for (;;) pause();
    know((pid_t)child, "child");
    call("running", P_PIDFD, pidfd, WEXITED | WNOHANG);
    kill((pid_t)child, SIGKILL);
    call("look", P_PIDFD, pidfd, WEXITED | WNOWAIT);
    call("pidfd", P_PIDFD, pidfd, WEXITED);
    call("again", P_PIDFD, pidfd, WEXITED);
}

static void pidfd_nonblocking(void) {
    int pidfd = -1;
    const long child = raw_clone(CLONE_PIDFD | SIGCHLD, &pidfd, NULL);
    if (child == 0)
        for (;;) pause();
    know((pid_t)child, "child");
    fcntl(pidfd, F_SETFL, fcntl(pidfd, F_GETFL) | O_NONBLOCK);
    call("running", P_PIDFD, pidfd, WEXITED);
    end((pid_t)child);
}

static void pidfd_opened(void) {
    const pid_t child = child_that_exits("child", 8);
    const int pidfd = raw_pidfd_open(child);
    fact("open=%s", yes(pidfd > 2));
    call("pidfd", P_PIDFD, pidfd, WEXITED);
    fact("open-dead=%s", who(raw_pidfd_open(child)));
    fact("open-unknown=%s", who(raw_pidfd_open(unknown_pid)));
    fact("open-zero=%s", who(raw_pidfd_open(0)));
    const int parent = raw_pidfd_open(getppid());
    fact("open-parent=%s", yes(parent > 2));
    call("not-a-child", P_PIDFD, parent, WEXITED);
}

static void errors(void) {
    call("no-child", P_ALL, 0, WEXITED);
    const pid_t child = child_that_waits("child");
    call("pid-zero", P_PID, 0, WEXITED);
    call("pid-negative", P_PID, -1, WEXITED);
    call("group-negative", P_PGID, -1, WEXITED);
    call("pid-unknown", P_PID, unknown_pid, WEXITED);
    call("parent", P_PID, getppid(), WEXITED);
    call("no-option", P_PID, child, 0);
    call("bad-option", P_PID, child, WEXITED | 0x1000);
    call("bad-type", 77, child, WEXITED);
    call("pidfd-negative", P_PIDFD, -1, WEXITED);
    call("pidfd-closed", P_PIDFD, 999, WEXITED);
    call("pidfd-of-a-file", P_PIDFD, 0, WEXITED);
    end(child);
}

static void without_info(void) {
    struct rusage usage;
    memset(&usage, 0xff, sizeof usage);
    child_that_exits("one", 1);
    fact("null=%s", result(raw_waitid(P_ALL, 0, NULL, WEXITED)));
    const pid_t two = child_that_exits("two", 1);
    fact("rusage=%s", result(syscall(SYS_waitid, P_PID, two, &info, WEXITED, &usage)));
    fact("si_pid=%s", who(info.si_pid));
    fact("usage=%s", yes(usage.ru_utime.tv_sec >= 0 && usage.ru_maxrss >= 0));
    fact("nothing-left=%s", who(waitpid(-1, NULL, 0)));
}

static void interrupted(void) {
    count_signal(SIGUSR1, 0);
    const pid_t self = getpid();
    const pid_t child = child_that_waits("child");
    const pid_t helper = offspring();
    if (helper == 0) {
        while (!board->flag[0]) {
            kill(self, SIGUSR1);
            usleep(1000);
        }
        _exit(0);
    }
    call("pid", P_PID, child, WEXITED);
    call("group", P_PGID, getpgrp(), WEXITED);
    call("all", P_ALL, 0, WEXITED);
    raise_flag(&board->flag[0]);
    fact("helper: %s", reap(helper));
    end(child);
}

const struct test_case waitid_cases[] = {{"waitid_number", by_number, "waitid"},
                                         {"waitid_any", any, "waitid"},
                                         {"waitid_groups", groups, "waitid"},
                                         {"waitid_zero_group", zero_group, "waitid"},
                                         {"waitid_look_twice", look_twice, "waitid"},
                                         {"waitid_not_reused", looked_at_is_not_reused, "waitid"},
                                         {"waitid_stops", stops, "waitid"},
                                         {"waitid_pidfd", by_pidfd, "waitid"},
                                         {"waitid_pidfd_nonblocking", pidfd_nonblocking, "waitid"},
                                         {"waitid_pidfd_opened", pidfd_opened, "pidfd_open, waitid"},
                                         {"waitid_errors", errors, "waitid"},
                                         {"waitid_without_info", without_info, "waitid"},
                                         {"waitid_interrupted", interrupted, "waitid"},
                                         {NULL, NULL, NULL}};
