/* What only process 1 of a container can be asked: compared between the kernel's namespace and the flat one.
 * Never run on the host: some of these send signals to everybody. Those that do send only signals whose
 * default is to be ignored, in case that a broken layer lets them out. */
#define _GNU_SOURCE
#include "conformance.h"

static void identity(void) {
    fact("getpid=%d", getpid());
    fact("gettid=%d", raw_gettid());
    fact("getppid=%d", getppid());
    fact("getpgrp=%d", getpgrp());
    fact("getsid=%d", getsid(0));
    fact("getpgid(1)=%d", getpgid(1));
    fact("getsid(1)=%d", getsid(1));
    fact("setsid=%s", who(setsid()));
    fact("setpgid=%s", result(setpgid(0, 0)));
}

/* Numbers are dense, and rise even when the ones below are free again. */
static void numbers(void) {
    const pid_t first = offspring();
    if (first == 0) _exit(0);
    reap(first);
    int next = 1;
    for (int i = 1; i <= 20; ++i) {
        const pid_t child = offspring();
        if (child == 0) _exit(0);
        if (child != first + i) next = 0;
        reap(child);
    }
    fact("first-is-small=%s", yes(first > 1 && first < 300));
    fact("one-after-the-other=%s", yes(next));
}

static void parent_is_one(void) {
    const pid_t child = offspring();
    if (child == 0) _exit(getppid() == 1 && getpgrp() == 1 && getsid(0) == 1 ? 0 : 1);
    fact("child: %s", reap(child));
}

/* Orphans come to process 1, which can wait for them. */
static void orphan(void) {
    const pid_t middle = offspring();
    if (middle == 0) {
        const pid_t self = getpid();
        const pid_t child = offspring();
        if (child == 0) {
            while (getppid() == self) usleep(500);
            _exit(getppid() == 1 ? 21 : 22);
        }
        board->pid[0] = child;
        _exit(20);
    }
    know(middle, "middle");
    fact("middle: %s", reap(middle));
    const pid_t adopted = board->pid[0];
    know(adopted, "orphan");
    int status = 0;
    fact("wait=%s", who(waitpid(-1, &status, 0)));
    fact("%s", ending(status));
    fact("none=%s", who(waitpid(-1, &status, 0)));
}

/* A daemon: forks twice, leads a session of its own. */
static void daemon_process(void) {
    const pid_t middle = offspring();
    if (middle == 0) {
        setsid();
        if (offspring() == 0) {
            while (getppid() != 1) usleep(500);
            board->pid[0] = getpid();
            board->pid[1] = getsid(0);
            raise_flag(&board->flag[0]);
            _exit(0);
        }
        _exit(0);
    }
    reap(middle);
    await(&board->flag[0]);
    fact("session-of-middle=%s", yes(board->pid[1] == middle));
    fact("%s", reap(board->pid[0]));
}

/* Orphans of a process that is killed, several at once. */
static void orphans_of_killed(void) {
    const pid_t middle = offspring();
    if (middle == 0) {
        for (int i = 0; i < 8; ++i)
            if (offspring() == 0)
                for (;;) pause();
        setpgid(0, 0);
        raise_flag(&board->flag[0]);
        for (;;) pause();
    }
    await(&board->flag[0]);
    end(middle);
    signal(SIGTERM, SIG_IGN);
    kill(0, SIGTERM);
    int reaped = 0, status = 0;
    while (waitpid(-1, &status, 0) > 0)
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) ++reaped;
    fact("reaped=%d", reaped);
    signal(SIGTERM, SIG_DFL);
}

/* From inside, process 1 is immune to what it has no handler for. */
static void immune(void) {
    static const int signals[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGSTOP, SIGTSTP, SIGABRT};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; ++i) {
        const pid_t child = offspring();
        if (child == 0) _exit(kill(1, signals[i]) == 0 ? 0 : 1);
        fact("child-%d: %s", signals[i], reap(child));
        fact("self-%d=%s", signals[i], result(kill(getpid(), signals[i])));
    }
    fact("alive=yes");
}

static void handles(void) {
    count_signal(SIGTERM, SA_RESTART);
    const pid_t child = offspring();
    if (child == 0) _exit(kill(1, SIGTERM) == 0 ? 0 : 1);
    fact("child: %s", reap(child));
    fact("by-child=%d", board->count[SIGTERM]);
    fact("self=%s", result(kill(1, SIGTERM)));
    fact("tgkill=%s", result(syscall(SYS_tgkill, 1, 1, SIGTERM)));
    fact("raise=%s", result(raise(SIGTERM)));
    fact("delivered=%d", board->count[SIGTERM]);
    signal(SIGTERM, SIG_DFL);
}

static pid_t listener(int slot) {
    const pid_t child = offspring();
    if (child == 0) {
        count_signal(SIGURG, 0);
        setpgid(0, 0);
        sigset_t blocked, old;
        sigemptyset(&blocked);
        sigaddset(&blocked, SIGURG);
        sigprocmask(SIG_BLOCK, &blocked, &old);
        raise_flag(&board->flag[slot]);
        sigsuspend(&old);
        _exit(10 + slot);
    }
    await(&board->flag[slot]);
    return child;
}

/* What it has no handler for reaches it all the same when it waits for it. */
static void waits(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    const pid_t child = offspring();
    if (child == 0) {
        usleep(100000);
        kill(1, SIGTERM);
        usleep(50000);
        const union sigval value = {.sival_int = 5};
        sigqueue(1, SIGUSR2, value);
        _exit(0);
    }
    know(child, "child");
    const struct timespec limit = {.tv_sec = 3};
    for (int i = 0; i < 2; ++i) {
        siginfo_t info;
        memset(&info, 0, sizeof info);
        const int signal = sigtimedwait(&set, &info, &limit);
        fact("signal=%d", signal);
        fact("from=%s", who(info.si_pid));
    }
    reap(child);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* kill(-1): everybody but the sender and process 1. */
static void everybody(void) {
    board->count[SIGURG] = 0;
    count_signal(SIGURG, SA_RESTART);
    fact("nobody-there=%s", result(kill(-1, SIGURG)));
    fact("self=%d", board->count[SIGURG]);
    fact("bad-signal=%s", result(kill(-1, 999)));
    pid_t child[3];
    for (int i = 0; i < 3; ++i) child[i] = listener(i);
    fact("zero=%s", result(kill(-1, 0)));
    fact("bad-signal=%s", result(kill(-1, 999)));
    fact("kill=%s", result(kill(-1, SIGURG)));
    for (int i = 0; i < 3; ++i) fact("%s", reap(child[i]));
    fact("heard=%d", board->count[SIGURG]);
}

static void everybody_from_child(void) {
    board->count[SIGURG] = 0;
    memset((void*)board->flag, 0, sizeof board->flag);
    count_signal(SIGURG, SA_RESTART);
    const pid_t other = listener(0);
    const pid_t child = offspring();
    if (child == 0) _exit(kill(-1, SIGURG) == 0 ? 0 : 1);
    fact("child: %s", reap(child));
    fact("other: %s", reap(other));
    fact("heard=%d", board->count[SIGURG]);
    const pid_t lonely = offspring();
    if (lonely == 0) {
        const long none = kill(-1, SIGURG);
        fact("lonely=%s", result(none));
        _exit(0);
    }
    reap(lonely);
}

/* Numbers of the host mean nothing here. */
static void outside(void) {
    int found = 0;
    for (pid_t pid = 1000; pid < 20000; pid += 7)
        if (kill(pid, 0) == 0 || errno != ESRCH) ++found;
    fact("found=%d", found);
    fact("getpgid=%s", who(getpgid(getppid() == 0 ? unknown_pid : getppid())));
    fact("wait=%s", who(waitpid(-1, NULL, WNOHANG)));
}

const struct test_case pid1_cases[] = {{"pid1_identity", identity, NULL},
                                       {"pid1_numbers", numbers, NULL},
                                       {"pid1_parent", parent_is_one, NULL},
                                       {"pid1_orphan", orphan, NULL},
                                       {"pid1_daemon", daemon_process, NULL},
                                       {"pid1_orphans_of_killed", orphans_of_killed, NULL},
                                       {"pid1_immune", immune, NULL},
                                       {"pid1_handles", handles, NULL},
                                       {"pid1_everybody", everybody, "kill"},
                                       {"pid1_everybody_from_child", everybody_from_child, NULL},
                                       {"pid1_waits", waits, "rt_sigtimedwait"},
                                       {"pid1_outside", outside, NULL},
                                       {NULL, NULL, NULL}};
