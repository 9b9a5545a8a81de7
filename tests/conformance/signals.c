/* Signals out: kill in its four forms, tkill, tgkill. */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>

#include "conformance.h"

/* A child that counts SIGUSR1 on the board and answers each one by a flag. */
static pid_t listener(const char* name, int slot) {
    const pid_t child = offspring();
    if (child == 0) {
        sigset_t wanted;
        sigemptyset(&wanted);
        sigaddset(&wanted, SIGUSR1);
        sigaddset(&wanted, SIGTERM);
        sigprocmask(SIG_BLOCK, &wanted, NULL);
        raise_flag(&board->flag[slot]);
        int signal = 0;
        sigwait(&wanted, &signal);
        _exit(signal);
    }
    know(child, name);
    await(&board->flag[slot]);
    return child;
}

static void zero(void) {
    const pid_t child = child_that_exits("child", 0);
    siginfo_t info;
    fact("self=%s", result(kill(getpid(), 0)));
    fact("parent=%s", result(kill(getppid(), 0)));
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    fact("zombie=%s", result(kill(child, 0)));
    fact("zombie-killed=%s", result(kill(child, SIGKILL)));
    fact("reaped: %s", reap(child));
    fact("dead=%s", result(kill(child, 0)));
    fact("dead-killed=%s", result(kill(child, SIGKILL)));
    fact("own-group=%s", result(kill(0, 0)));
    fact("own-group-by-number=%s", result(kill(-getpgrp(), 0)));
}

static void errors(void) {
    fact("unknown=%s", result(kill(unknown_pid, 0)));
    fact("unknown-term=%s", result(kill(unknown_pid, SIGTERM)));
    fact("unknown-group=%s", result(kill(-unknown_pid, 0)));
    fact("int-max=%s", result(kill(INT_MAX, 0)));
    fact("int-min=%s", result(kill(INT_MIN, 0)));
    fact("bad-signal=%s", result(kill(getpid(), 999)));
    fact("negative-signal=%s", result(kill(getpid(), -1)));
    fact("bad-signal-unknown=%s", result(kill(unknown_pid, 999)));
    const pid_t child = child_that_waits("child");
    fact("child's-no-group=%s", result(kill(-child, 0)));
    end(child);
}

static void to_child(void) {
    static const int signals[] = {SIGTERM, SIGKILL, SIGABRT, SIGUSR1, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; ++i) {
        const pid_t child = child_that_waits("child");
        fact("kill=%s", result(kill(child, signals[i])));
        fact("%s", reap(child));
    }
}

static void to_parent(void) {
    count_signal(SIGUSR1, SA_RESTART);
    const pid_t child = offspring();
    if (child == 0) _exit(kill(getppid(), SIGUSR1));
    fact("%s", reap(child));
    fact("arrived=%d", board->count[SIGUSR1]);
}

static void to_self(void) {
    count_signal(SIGUSR1, SA_RESTART);
    fact("kill=%s", result(kill(getpid(), SIGUSR1)));
    fact("delivered-before-return=%d", board->count[SIGUSR1]);
    fact("raise=%s", result(raise(SIGUSR1)));
    fact("delivered=%d", board->count[SIGUSR1]);
    fact("group=%s", result(kill(0, SIGUSR1)));
    fact("delivered=%d", board->count[SIGUSR1]);
}

static void to_own_group(void) {
    count_signal(SIGUSR1, SA_RESTART);
    const pid_t near = listener("near", 0);
    const pid_t far = listener("far", 1);
    setpgid(far, far);
    fact("kill=%s", result(kill(0, SIGUSR1)));
    fact("near: %s", reap(near));
    fact("self=%d", board->count[SIGUSR1]);
    kill(far, SIGTERM);
    fact("far: %s", reap(far));
}

static void to_group(void) {
    count_signal(SIGUSR1, SA_RESTART);
    const pid_t leader = listener("leader", 0);
    setpgid(leader, leader);
    const pid_t member = listener("member", 1);
    setpgid(member, leader);
    const pid_t second = listener("second", 2);
    setpgid(second, leader);
    const pid_t other = listener("other", 3);
    fact("zero=%s", result(kill(-leader, 0)));
    fact("kill=%s", result(kill(-leader, SIGUSR1)));
    fact("leader: %s", reap(leader));
    fact("member: %s", reap(member));
    fact("second: %s", reap(second));
    fact("self=%d", board->count[SIGUSR1]);
    kill(other, SIGTERM);
    fact("other: %s", reap(other));
    fact("empty=%s", result(kill(-leader, SIGUSR1)));
    fact("killpg=%s", result(killpg(leader, 0)));
}

static void zombie_group(void) {
    siginfo_t info;
    const pid_t leader = offspring();
    if (leader == 0) {
        setpgid(0, 0);
        _exit(0);
    }
    waitid(P_PID, (id_t)leader, &info, WEXITED | WNOWAIT);
    fact("of-zombies=%s", result(kill(-leader, SIGUSR1)));
    reap(leader);
    fact("gone=%s", result(kill(-leader, SIGUSR1)));
}

static void grandchildren(void) {
    const pid_t child = offspring();
    if (child == 0) {
        setpgid(0, 0);
        for (int i = 0; i < 3; ++i) listener("grand", i);
        board->count[0] = 0;
        raise_flag(&board->flag[4]);
        int heard = 0;
        signal(SIGUSR1, SIG_IGN);
        raise_flag(&board->flag[5]);
        for (int i = 0; i < 3; ++i) {
            int status = 0;
            wait(&status);
            if (WIFEXITED(status) && WEXITSTATUS(status) == SIGUSR1) ++heard;
        }
        _exit(heard);
    }
    await(&board->flag[5]);
    fact("kill=%s", result(kill(-child, SIGUSR1)));
    fact("heard: %s", reap(child));
}

static void stop_and_continue(void) {
    int status = 0;
    const pid_t child = child_that_waits("child");
    fact("stop=%s", result(kill(child, SIGSTOP)));
    waitpid(child, &status, WUNTRACED);
    fact("%s", ending(status));
    fact("term=%s", result(kill(child, SIGTERM)));
    fact("pending=%s", who(waitpid(child, &status, WNOHANG)));
    fact("continue=%s", result(kill(child, SIGCONT)));
    fact("%s", reap(child));
}

static void aborts(void) {
    const pid_t child = offspring();
    if (child == 0) abort();
    fact("abort: %s", reap(child));
    const pid_t second = offspring();
    if (second == 0) {
        signal(SIGABRT, SIG_IGN);
        abort();
    }
    fact("abort-ignored: %s", reap(second));
}

static void* abort_now(void* unused) {
    (void)unused;
    abort();
}

static void abort_in_thread(void) {
    const pid_t child = offspring();
    if (child == 0) {
        pthread_t one;
        pthread_create(&one, NULL, abort_now, NULL);
        for (;;) pause();
    }
    fact("abort: %s", reap(child));
}

static int tkill_raw(pid_t tid, int signal) {
    return (int)syscall(SYS_tkill, tid, signal);
}
static int tgkill_raw(pid_t pid, pid_t tid, int signal) {
    return (int)syscall(SYS_tgkill, pid, tid, signal);
}

static void tkill_leader(void) {
    count_signal(SIGUSR1, SA_RESTART);
    fact("gettid=%s", result(tkill_raw(raw_gettid(), SIGUSR1)));
    fact("getpid=%s", result(tkill_raw(getpid(), SIGUSR1)));
    fact("delivered=%d", board->count[SIGUSR1]);
    const pid_t child = child_that_waits("child");
    fact("child=%s", result(tkill_raw(child, SIGTERM)));
    fact("%s", reap(child));
    fact("dead=%s", result(tkill_raw(child, 0)));
    fact("unknown=%s", result(tkill_raw(unknown_pid, 0)));
    fact("zero=%s", result(tkill_raw(0, 0)));
    fact("negative=%s", result(tkill_raw(-1, 0)));
    fact("bad-signal=%s", result(tkill_raw(getpid(), 999)));
}

static void tgkill_leader(void) {
    count_signal(SIGUSR1, SA_RESTART);
    fact("self=%s", result(tgkill_raw(getpid(), raw_gettid(), SIGUSR1)));
    fact("delivered=%d", board->count[SIGUSR1]);
    const pid_t one = child_that_waits("one");
    const pid_t two = child_that_waits("two");
    fact("wrong-group=%s", result(tgkill_raw(one, two, 0)));
    fact("wrong-group-own=%s", result(tgkill_raw(getpid(), one, 0)));
    fact("child=%s", result(tgkill_raw(one, one, SIGTERM)));
    fact("%s", reap(one));
    fact("dead=%s", result(tgkill_raw(one, one, 0)));
    fact("unknown=%s", result(tgkill_raw(unknown_pid, unknown_pid, 0)));
    fact("unknown-group=%s", result(tgkill_raw(unknown_pid, two, 0)));
    fact("zero=%s", result(tgkill_raw(0, two, 0)));
    fact("tid-zero=%s", result(tgkill_raw(two, 0, 0)));
    fact("minus-one=%s", result(tgkill_raw(-1, two, 0)));
    fact("bad-signal=%s", result(tgkill_raw(two, two, 999)));
    end(two);
}

/* A signal to one thread reaches that thread. */
static pid_t target_tid;

static void remember_thread(int signal) {
    (void)signal;
    board->pid[1] = raw_gettid();
    raise_flag(&board->flag[1]);
}

static void* target(void* unused) {
    (void)unused;
    target_tid = raw_gettid();
    raise_flag(&board->flag[0]);
    await(&board->flag[2]);
    return NULL;
}

static void to_thread(void) {
    pthread_t one;
    signal(SIGUSR2, remember_thread);
    pthread_create(&one, NULL, target, NULL);
    await(&board->flag[0]);
    fact("tgkill=%s", result(tgkill_raw(getpid(), target_tid, SIGUSR2)));
    await(&board->flag[1]);
    fact("right-thread=%s", yes(board->pid[1] == target_tid));
    board->flag[1] = 0;
    fact("tkill=%s", result(tkill_raw(target_tid, SIGUSR2)));
    await(&board->flag[1]);
    fact("right-thread=%s", yes(board->pid[1] == target_tid));
    board->flag[1] = 0;
    fact("pthread_kill=%d", pthread_kill(one, SIGUSR2));
    await(&board->flag[1]);
    fact("right-thread=%s", yes(board->pid[1] == target_tid));
    fact("wrong-group=%s", result(tgkill_raw(getppid(), target_tid, 0)));
    raise_flag(&board->flag[2]);
    pthread_join(one, NULL);
}

/* A thread of another process, by the id that it told. */
static void* foreign_target(void* unused) {
    (void)unused;
    board->pid[0] = raw_gettid();
    raise_flag(&board->flag[0]);
    for (;;) pause();
    return NULL;
}

static void to_foreign_thread(void) {
    const pid_t child = offspring();
    if (child == 0) {
        pthread_t one;
        signal(SIGUSR2, remember_thread);
        pthread_create(&one, NULL, foreign_target, NULL);
        for (;;) pause();
    }
    know(child, "child");
    await(&board->flag[0]);
    fact("tgkill=%s", result(tgkill_raw(child, board->pid[0], SIGUSR2)));
    await(&board->flag[1]);
    fact("right-thread=%s", yes(board->pid[1] == board->pid[0]));
    fact("wrong-group=%s", result(tgkill_raw(getpid(), board->pid[0], 0)));
    end(child);
}

/* The thread's id as an argument of calls that mean processes: kill takes it for its process, wait doesn't.
 */
static void thread_as_process(void) {
    pthread_t one;
    pthread_create(&one, NULL, target, NULL);
    await(&board->flag[0]);
    fact("kill=%s", result(kill(target_tid, 0)));
    fact("getpgid=%s", who(getpgid(target_tid)));
    fact("getsid=%s", who(getsid(target_tid)));
    fact("setpgid=%s", who(setpgid(target_tid, 0)));
    fact("wait=%s", who(waitpid(target_tid, NULL, WNOHANG)));
    raise_flag(&board->flag[2]);
    pthread_join(one, NULL);
}

const struct test_case signal_cases[] = {{"kill_zero", zero, "kill"},
                                         {"kill_errors", errors, "kill"},
                                         {"kill_child", to_child, "kill"},
                                         {"kill_parent", to_parent, "kill"},
                                         {"kill_self", to_self, "kill"},
                                         {"kill_own_group", to_own_group, "kill"},
                                         {"kill_group", to_group, "kill"},
                                         {"kill_zombie_group", zombie_group, "kill"},
                                         {"kill_grandchildren", grandchildren, "kill"},
                                         {"kill_stop_and_continue", stop_and_continue, "kill"},
                                         {"abort", aborts, NULL},
                                         {"abort_in_thread", abort_in_thread, NULL},
                                         {"tkill", tkill_leader, "tkill"},
                                         {"tgkill", tgkill_leader, "tgkill"},
                                         {"tgkill_thread", to_thread, "tgkill"},
                                         {"tgkill_foreign_thread", to_foreign_thread, "tgkill"},
                                         {"thread_as_process", thread_as_process, NULL},
                                         {NULL, NULL, NULL}};
