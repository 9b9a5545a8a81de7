/* Identity: who am I, who is my parent, which group and session. */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>

#include "conformance.h"

static void self(void) {
    fact("getpid=%s", who(getpid()));
    fact("gettid=%s", who(raw_gettid()));
    fact("getppid=%s", who(getppid()));
    fact("getpgrp=%s", who(getpgrp()));
    fact("getpgid(0)=%s", who(getpgid(0)));
    fact("getpgid(self)=%s", who(getpgid(getpid())));
    fact("getsid(0)=%s", who(getsid(0)));
    fact("getsid(self)=%s", who(getsid(getpid())));
}

static void raw(void) {
    fact("getpid=%s", who(syscall(SYS_getpid)));
    fact("gettid=%s", who(syscall(SYS_gettid)));
    fact("getppid=%s", who(syscall(SYS_getppid)));
    fact("getpgrp=%s", who(syscall(SYS_getpgrp)));
    fact("getpgid=%s", who(syscall(SYS_getpgid, 0)));
    fact("getsid=%s", who(syscall(SYS_getsid, 0)));
}

static void parent(void) {
    const pid_t driver = getppid();
    fact("getpgid(parent)=%s", who(getpgid(driver)));
    fact("getsid(parent)=%s", who(getsid(driver)));
}

static void unknown(void) {
    static const pid_t numbers[] = {unknown_pid, INT_MAX, -1, -5, INT_MIN};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        fact("getpgid(%d)=%s", numbers[i], who(getpgid(numbers[i])));
        fact("getsid(%d)=%s", numbers[i], who(getsid(numbers[i])));
    }
}

/* The kernel takes an int: what stands in the upper half of the register doesn't count. */
static void upper_half(void) {
    const unsigned long dirty = 0xdead00000000UL | (unsigned long)getpid();
    fact("getpgid=%s", who(syscall(SYS_getpgid, dirty)));
    fact("getsid=%s", who(syscall(SYS_getsid, dirty)));
    fact("kill=%s", result(syscall(SYS_kill, dirty, 0UL)));
}

static void child(void) {
    const pid_t born = offspring();
    if (born == 0) tell_and_pause();
    know(born, "child");
    await(&board->flag[0]);
    fact("getpid=%s", who(board->pid[0]));
    fact("getppid=%s", who(board->pid[1]));
    fact("getpgrp=%s", who(board->pid[2]));
    fact("getsid=%s", who(board->pid[3]));
    fact("gettid=%s", who(board->pid[4]));
    fact("getpgid(child)=%s", who(getpgid(born)));
    fact("getsid(child)=%s", who(getsid(born)));
    end(born);
}

static void grandchild(void) {
    const pid_t born = offspring();
    if (born == 0) {
        const pid_t grand = offspring();
        if (grand == 0) {
            board->pid[1] = getppid();
            setpgid(0, 0);
            raise_flag(&board->flag[0]);
            for (;;) pause();
        }
        board->pid[0] = grand;
        await(&board->flag[1]);
        end(grand);
        _exit(0);
    }
    know(born, "child");
    await(&board->flag[0]);
    while (board->pid[0] == 0) usleep(500);
    know(board->pid[0], "grandchild");
    fact("its-parent=%s", who(board->pid[1]));
    fact("getpgid=%s", who(getpgid(board->pid[0])));
    fact("getsid=%s", who(getsid(board->pid[0])));
    raise_flag(&board->flag[1]);
    fact("end=%s", reap(born));
}

/* A zombie keeps its group and session until it is reaped. */
static void zombie(void) {
    const pid_t born = child_that_exits("child", 0);
    siginfo_t info;
    waitid(P_PID, (id_t)born, &info, WEXITED | WNOWAIT);
    fact("zombie: getpgid=%s", who(getpgid(born)));
    fact("getsid=%s", who(getsid(born)));
    fact("reaped: %s", reap(born));
    fact("getpgid=%s", who(getpgid(born)));
    fact("getsid=%s", who(getsid(born)));
}

/* Numbers of a group and a session outlive their leader. */
static void leader_gone(void) {
    const pid_t leader = offspring();
    if (leader == 0) {
        setsid();
        const pid_t member = offspring();
        if (member == 0)
            for (;;) pause();
        board->pid[0] = member;
        _exit(0);
    }
    know(leader, "leader");
    reap(leader);
    const pid_t member = board->pid[0];
    know(member, "member");
    fact("getpgid(member)=%s", who(getpgid(member)));
    fact("getsid(member)=%s", who(getsid(member)));
    fact("getpgid(leader)=%s", who(getpgid(leader)));
    fact("kill(-leader)=%s", result(kill(-leader, SIGKILL)));
}

static void* in_thread(void* unused) {
    (void)unused;
    fact("getpid=%s", who(getpid()));
    fact("getppid=%s", who(getppid()));
    fact("getpgrp=%s", who(getpgrp()));
    fact("getsid=%s", who(getsid(0)));
    fact("gettid-differs=%s", yes(raw_gettid() != getpid()));
    fact("stable=%s", yes(raw_gettid() == raw_gettid()));
    return NULL;
}

static void thread(void) {
    pthread_t one;
    pthread_create(&one, NULL, in_thread, NULL);
    pthread_join(one, NULL);
}

/* An orphan gets another parent. Who that is depends on where it runs: see pid1.c. */
static void orphan(void) {
    const pid_t middle = offspring();
    if (middle == 0) {
        const pid_t self_ = getpid();
        if (offspring() != 0) {
            await(&board->flag[0]);
            _exit(0);
        }
        board->pid[0] = getpid();
        fact("before=%s", yes(getppid() == self_));
        raise_flag(&board->flag[0]);
        while (getppid() == self_) usleep(500);
        fact("adopted=yes getpgrp=%s", who(getpgrp()));
        fact("getsid=%s", who(getsid(0)));
        raise_flag(&board->flag[1]);
        _exit(0);
    }
    know(middle, "middle");
    const char* const how = reap(middle);
    await(&board->flag[1]); /* the orphan's facts first */
    fact("middle: %s", how);
}

/* The results of these two are the kernel's thread id under a layer that keeps it: see the test's notes. */
static void set_tid_address(void) {
    static int place;
    fact("leader=%s", who(syscall(SYS_set_tid_address, &place)));
}

static void* address_in_thread(void* unused) {
    (void)unused;
    static int place;
    fact("thread-same-as-gettid=%s", yes(syscall(SYS_set_tid_address, &place) == raw_gettid()));
    /* The C library waits for its own word to be cleared: leave the thread unjoined. */
    raise_flag(&board->flag[0]);
    for (;;) pause();
    return NULL;
}

static void set_tid_address_thread(void) {
    pthread_t one;
    pthread_create(&one, NULL, address_in_thread, NULL);
    await(&board->flag[0]);
}

const struct test_case identity_cases[] = {
    {"identity_self", self, "getpid, gettid, getppid, getpgrp, getpgid, getsid"},
    {"identity_raw", raw, "getpid, gettid, getppid, getpgrp"},
    {"identity_parent", parent, "getppid"},
    {"identity_unknown", unknown, "getpgid, getsid"},
    {"identity_upper_half", upper_half, NULL},
    {"identity_child", child, "getpgid, getsid"},
    {"identity_grandchild", grandchild, NULL},
    {"identity_zombie", zombie, NULL},
    {"identity_leader_gone", leader_gone, NULL},
    {"identity_thread", thread, "gettid"},
    {"identity_orphan", orphan, "getppid"},
    {"identity_set_tid_address", set_tid_address, "set_tid_address"},
    {"identity_set_tid_address_thread", set_tid_address_thread, "set_tid_address"},
    {NULL, NULL, NULL}};
