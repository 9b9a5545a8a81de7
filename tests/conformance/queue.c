/* Signals out that carry more: rt_sigqueueinfo, rt_tgsigqueueinfo, pidfd_send_signal. */
#define _GNU_SOURCE
#include <poll.h>

#include "conformance.h"

static int queue_raw(pid_t pid, int signal, siginfo_t* info) {
    return (int)syscall(SYS_rt_sigqueueinfo, pid, signal, info);
}

static int queue_thread(pid_t pid, pid_t tid, int signal, siginfo_t* info) {
    return (int)syscall(SYS_rt_tgsigqueueinfo, pid, tid, signal, info);
}

static int send_to_pidfd(int pidfd, int signal, siginfo_t* info) {
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, info, 0U);
}

/* A child that waits for a SIGUSR1 and puts on the board what it carried. */
static pid_t receiver(int* pidfd) {
    board->flag[0] = 0;
    const long child = raw_clone(CLONE_PIDFD | SIGCHLD, pidfd, NULL);
    if (child == 0) {
        sigset_t wanted;
        siginfo_t info;
        sigemptyset(&wanted);
        sigaddset(&wanted, SIGUSR1);
        sigprocmask(SIG_BLOCK, &wanted, NULL);
        raise_flag(&board->flag[0]);
        while (sigwaitinfo(&wanted, &info) < 0) continue;
        board->count[0] = info.si_code;
        board->count[1] = info.si_value.sival_int;
        board->pid[0] = info.si_pid;
        _exit(0);
    }
    know((pid_t)child, "child");
    await(&board->flag[0]);
    return (pid_t)child;
}

static void received(pid_t child, int with_value) {
    fact("%s", reap(child));
    fact("si_code=%d", board->count[0]);
    if (with_value) fact("si_value=%d", board->count[1]);
    memset((void*)board->count, 0, sizeof board->count);
}

static siginfo_t message(int code, pid_t from, int value) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = SIGUSR1;
    info.si_code = code;
    info.si_pid = from;
    info.si_value.sival_int = value;
    return info;
}

static void queue(void) {
    int pidfd;
    pid_t child = receiver(&pidfd);
    fact("sigqueue=%s", result(sigqueue(child, SIGUSR1, (union sigval){.sival_int = 42})));
    received(child, 1);
    child = receiver(&pidfd);
    siginfo_t info = message(SI_QUEUE, getpid(), 43);
    fact("raw=%s", result(queue_raw(child, SIGUSR1, &info)));
    received(child, 1);
    fact("dead=%s", result(queue_raw(child, SIGUSR1, &info)));
    fact("unknown=%s", result(queue_raw(unknown_pid, SIGUSR1, &info)));
}

static void queue_errors(void) {
    const pid_t child = child_that_waits("child");
    siginfo_t user = message(SI_USER, getpid(), 0);
    siginfo_t kernel = message(SI_KERNEL, getpid(), 0);
    siginfo_t tkill = message(SI_TKILL, getpid(), 0);
    siginfo_t fine = message(SI_QUEUE, getpid(), 0);
    fact("forged-user=%s", result(queue_raw(child, SIGUSR1, &user)));
    fact("forged-kernel=%s", result(queue_raw(child, SIGUSR1, &kernel)));
    fact("forged-tkill=%s", result(queue_raw(child, SIGUSR1, &tkill)));
    fact("null=%s", result(queue_raw(child, SIGUSR1, NULL)));
    fact("zero=%s", result(queue_raw(child, 0, &fine)));
    fact("bad-signal=%s", result(queue_raw(child, 999, &fine)));
    fact("negative=%s", result(queue_raw(-child, SIGUSR1, &fine)));
    fact("pid-zero=%s", result(queue_raw(0, SIGUSR1, &fine)));
    count_signal(SIGUSR1, SA_RESTART);
    fact("forged-to-self=%s", result(queue_raw(getpid(), SIGUSR1, &user)));
    fact("delivered=%d", board->count[SIGUSR1]);
    end(child);
}

static void thread_queue(void) {
    int pidfd;
    pid_t child = receiver(&pidfd);
    siginfo_t info = message(SI_QUEUE, getpid(), 44);
    fact("wrong-group=%s", result(queue_thread(getpid(), child, SIGUSR1, &info)));
    fact("negative=%s", result(queue_thread(child, -1, SIGUSR1, &info)));
    fact("zero=%s", result(queue_thread(0, child, SIGUSR1, &info)));
    fact("queue=%s", result(queue_thread(child, child, SIGUSR1, &info)));
    received(child, 1);
    fact("dead=%s", result(queue_thread(child, child, SIGUSR1, &info)));
    count_signal(SIGUSR1, SA_RESTART);
    fact("self=%s", result(queue_thread(getpid(), raw_gettid(), SIGUSR1, &info)));
    fact("delivered=%d", board->count[SIGUSR1]);
}

static void by_pidfd(void) {
    int pidfd;
    pid_t child = receiver(&pidfd);
    siginfo_t info = message(SI_QUEUE, getpid(), 45);
    siginfo_t forged = message(SI_USER, getpid(), 45);
    siginfo_t mismatch = info;
    mismatch.si_signo = SIGUSR2;
    fact("zero=%s", result(send_to_pidfd(pidfd, 0, NULL)));
    fact("forged=%s", result(send_to_pidfd(pidfd, SIGUSR1, &forged)));
    fact("mismatch=%s", result(send_to_pidfd(pidfd, SIGUSR1, &mismatch)));
    fact("bad-flags=%s", result(syscall(SYS_pidfd_send_signal, pidfd, SIGUSR1, NULL, 0x1000U)));
    fact("info=%s", result(send_to_pidfd(pidfd, SIGUSR1, &info)));
    received(child, 1);
    fact("dead=%s", result(send_to_pidfd(pidfd, 0, NULL)));
    close(pidfd);
    child = receiver(&pidfd);
    fact("plain=%s", result(send_to_pidfd(pidfd, SIGUSR1, NULL)));
    received(child, 0);
    close(pidfd);
    fact("closed=%s", result(send_to_pidfd(pidfd, SIGUSR1, NULL)));
}

static void pidfd_readable_at_end(void) {
    int pidfd;
    const pid_t child = receiver(&pidfd);
    struct pollfd wanted = {pidfd, POLLIN, 0};
    fact("running=%d", poll(&wanted, 1, 0));
    send_to_pidfd(pidfd, SIGKILL, NULL);
    fact("ended=%d", poll(&wanted, 1, -1));
    fact("%s", reap(child));
}

/* Who the sender is, as the receiver reads it: what a sender supplies must come out as the same process. */
static void supplied_sender(void) {
    int pidfd;
    pid_t child = receiver(&pidfd);
    siginfo_t info = message(SI_QUEUE, getpid(), 1);
    queue_raw(child, SIGUSR1, &info);
    reap(child);
    fact("rt_sigqueueinfo=%s", who(board->pid[0]));
    child = receiver(&pidfd);
    queue_thread(child, child, SIGUSR1, &info);
    reap(child);
    fact("rt_tgsigqueueinfo=%s", who(board->pid[0]));
    child = receiver(&pidfd);
    send_to_pidfd(pidfd, SIGUSR1, &info);
    reap(child);
    fact("pidfd_send_signal=%s", who(board->pid[0]));
}

const struct test_case queue_cases[] = {
    {"rt_sigqueueinfo", queue, "rt_sigqueueinfo"},
    {"rt_sigqueueinfo_errors", queue_errors, "rt_sigqueueinfo"},
    {"rt_tgsigqueueinfo", thread_queue, "rt_tgsigqueueinfo"},
    {"pidfd_send_signal", by_pidfd, "pidfd_send_signal"},
    {"pidfd_poll", pidfd_readable_at_end, NULL},
    {"supplied_sender", supplied_sender,
     "rt_sigqueueinfo, rt_tgsigqueueinfo, pidfd_send_signal, rt_sigtimedwait"},
    {NULL, NULL, NULL}};
