/* Signals in, as sigwaitinfo and a signalfd tell of them; and what lies at the same place in siginfo_t but is
 * no process number. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/uio.h>
#include <time.h>

#include "arrivals.h"

static void wait_info(void) {
    const sigset_t set = block_signal(SIGUSR1);
    const pid_t self = getpid();
    kill(self, SIGUSR1);
    tell_taken("self", &set);
    CHILD_DOES("child", kill(self, SIGUSR1));
    tell_taken("by-child", &set);
    CHILD_DOES("second", raw_tgkill(self, self, SIGUSR1));
    tell_taken("tgkill", &set);
    CHILD_DOES("third", sigqueue(self, SIGUSR1, (union sigval){.sival_int = 9}));
    tell_taken("sigqueue", &set);
    siginfo_t info;
    kill(self, SIGUSR1);
    fact("sigwaitinfo=%s", yes(sigwaitinfo(&set, &info) == SIGUSR1));
    fact("pid=%s", who(info.si_pid));
}

/* It is asleep already when the signal comes. */
static void wait_asleep(void) {
    const sigset_t set = block_signal(SIGUSR1);
    const pid_t self = getpid();
    const pid_t child = offspring();
    if (child == 0) {
        await(&board->flag[0]);
        usleep(5000);
        _exit(kill(self, SIGUSR1));
    }
    know(child, "child");
    raise_flag(&board->flag[0]);
    tell_taken("by-child", &set);
    reap(child);
}

static void wait_sigchld(void) {
    const sigset_t set = block_signal(SIGCHLD);
    siginfo_t info;
    const pid_t child = child_that_waits("child");
    static const int sent[] = {SIGSTOP, SIGCONT, SIGKILL};
    for (size_t i = 0; i < sizeof sent / sizeof sent[0]; ++i) {
        kill(child, sent[i]);
        memset(&info, 0, sizeof info);
        fact("signo=%d", take_signal(&set, &info));
        fact("code=%d status=%d pid=%s", info.si_code, info.si_status, who(info.si_pid));
    }
    reap(child);
}

static long raw_timedwait(const sigset_t* set, siginfo_t* info, const struct timespec* patience,
                          size_t size) {
    return syscall(SYS_rt_sigtimedwait, set, info, patience, size);
}

static void timed_wait(void) {
    const sigset_t set = block_signal(SIGUSR1);
    const struct timespec none = {0, 0}, some = {0, 3 * 1000 * 1000}, wrong = {0, -1};
    siginfo_t info;
    fact("none=%s", who(raw_timedwait(&set, &info, &none, 8)));
    fact("some=%s", who(raw_timedwait(&set, &info, &some, 8)));
    fact("wrong-time=%s", who(raw_timedwait(&set, &info, &wrong, 8)));
    fact("wrong-size=%s", who(raw_timedwait(&set, &info, &none, 9)));
    fact("wrong-set=%s", who(raw_timedwait((sigset_t*)8, &info, &none, 8)));
    kill(getpid(), SIGUSR1);
    fact("without-info=%ld", raw_timedwait(&set, NULL, &some, 8));
    kill(getpid(), SIGUSR1);
    fact("pending=%ld", raw_timedwait(&set, &info, &none, 8));
    fact("pid=%s", who(info.si_pid));
    kill(getpid(), SIGUSR1);
    const long bad = raw_timedwait(&set, (siginfo_t*)8, &some, 8);
    fact("bad-memory=%s", who(bad));
    fact("taken-all-the-same=%s", who(raw_timedwait(&set, &info, &none, 8)));
}

/* A signal that isn't waited for ends the wait by its handler. */
static void timed_wait_interrupted(void) {
    const sigset_t set = block_signal(SIGUSR1);
    const struct timespec patience = {5, 0};
    const pid_t self = getpid();
    siginfo_t info;
    handle(SIGUSR2, SA_RESTART);
    const pid_t child = offspring();
    if (child == 0) {
        while (!board->flag[0]) {
            kill(self, SIGUSR2);
            usleep(1000);
        }
        _exit(0);
    }
    know(child, "child");
    fact("ended=%s", who(raw_timedwait(&set, &info, &patience, 8)));
    raise_flag(&board->flag[0]);
    reap(child);
    tell_handled("by-child");
}

/* The sender is long gone when the signal is read: its number was written down when it was sent. */
static void sender_gone(void) {
    const sigset_t set = block_signal(SIGUSR1);
    const pid_t self = getpid();
    CHILD_DOES("sender", kill(self, SIGUSR1));
    for (int i = 0; i < 5; ++i) CHILD_DOES("later", (void)self);
    tell_taken("by-sender", &set);
}

static int open_signalfd(int signal, int flags) {
    const sigset_t set = block_signal(signal);
    return signalfd(-1, &set, flags);
}

static void tell_read(const char* how, const struct signalfd_siginfo* info) {
    fact("%s: signo=%u", how, info->ssi_signo);
    fact("code=%d pid=%s", info->ssi_code, who(info->ssi_pid));
    fact("status=%d int=%d", info->ssi_status, info->ssi_int);
}

static void tell_next(const char* how, int fd) {
    struct signalfd_siginfo info;
    memset(&info, 0xff, sizeof info);
    if (!readable(fd)) {
        fact("%s: NEVER-CAME", how);
        return;
    }
    const ssize_t length = read(fd, &info, sizeof info);
    fact("length=%zd", length);
    if (length == (ssize_t)sizeof info) tell_read(how, &info);
}

static void signal_fd(void) {
    const int fd = open_signalfd(SIGUSR1, SFD_CLOEXEC);
    const pid_t self = getpid();
    kill(self, SIGUSR1);
    tell_next("self", fd);
    CHILD_DOES("child", kill(self, SIGUSR1));
    tell_next("by-child", fd);
    CHILD_DOES("second", raw_tgkill(self, self, SIGUSR1));
    tell_next("tgkill", fd);
    CHILD_DOES("third", sigqueue(self, SIGUSR1, (union sigval){.sival_int = 11}));
    tell_next("sigqueue", fd);
    close(fd);
}

static void signal_fd_sigchld(void) {
    const int fd = open_signalfd(SIGCHLD, 0);
    const pid_t child = child_that_waits("child");
    kill(child, SIGSTOP);
    tell_next("stop", fd);
    kill(child, SIGCONT);
    tell_next("continue", fd);
    kill(child, SIGKILL);
    tell_next("kill", fd);
    reap(child);
    close(fd);
}

static void signal_fd_reads(void) {
    struct signalfd_siginfo many[16];
    static const size_t counts[] = {3, 5, 6, 7, 10, 16};
    const int fd = open_signalfd(SIGUSR1, SFD_NONBLOCK);
    const sigset_t both = block_signal(SIGUSR2);
    sigset_t set = both;
    sigaddset(&set, SIGUSR1);
    fact("added=%s", yes(signalfd(fd, &set, 0) == fd));
    const pid_t self = getpid();
    fact("empty=%s", who(read(fd, many, 2 * sizeof many[0])));
    fact("too-short=%s", who(read(fd, many, sizeof many[0] - 1)));
    CHILD_DOES("one", kill(self, SIGUSR1));
    CHILD_DOES("two", kill(self, SIGUSR2));
    memset(many, 0, sizeof many);
    fact("both=%zd", read(fd, many, 2 * sizeof many[0]));
    tell_read("first", &many[0]);
    tell_read("second", &many[1]);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        CHILD_DOES("one", kill(self, SIGUSR1));
        memset(many, 0, sizeof many);
        fact("%zu: length=%zd", counts[i], read(fd, many, counts[i] * sizeof many[0]));
        fact("pid=%s", who(many[0].ssi_pid));
    }
    kill(self, SIGUSR1);
    struct iovec part = {many, sizeof many};
    fact("readv=%zd", readv(fd, &part, 1));
    tell_read("own", &many[0]);
    fact("empty=%s", who(readv(fd, &part, 1)));
    close(fd);
}

/* With room for as much as files are often read with, or into several parts. */
static void signal_fd_usual_reads(void) {
    struct signalfd_siginfo many[8];
    const int fd = open_signalfd(SIGUSR1, SFD_NONBLOCK);
    kill(getpid(), SIGUSR1);
    fact("eight=%zd", read(fd, many, sizeof many));
    tell_read("own", &many[0]);
    kill(getpid(), SIGUSR1);
    struct iovec parts[2] = {{many, 24}, {(char*)many + 24, sizeof many[0] - 24}};
    fact("readv=%zd", readv(fd, parts, 2));
    tell_read("own", &many[0]);
    close(fd);
}

/* A read that sleeps; and another process's: a signalfd serves who reads it, not who opened it. */
static void signal_fd_shared(void) {
    const int fd = open_signalfd(SIGUSR1, 0);
    const pid_t self = getpid();
    const pid_t child = offspring();
    if (child == 0) {
        know(getpid(), "child");
        kill(getpid(), SIGUSR1);
        tell_next("in-child", fd);
        raise_flag(&board->flag[0]);
        usleep(5000);
        kill(self, SIGUSR1);
        _exit(0);
    }
    came(&board->flag[0]);
    struct signalfd_siginfo info;
    memset(&info, 0, sizeof info);
    fact("asleep=%zd", read(fd, &info, sizeof info));
    tell_read("by-child", &info);
    reap(child);
    close(fd);
}

/* A child that was made with another exit signal than SIGCHLD. A signalfd takes its number for a band. */
static void exit_signal_taken(void) {
    const sigset_t set = block_signal(SIGUSR1);
    const long taken = raw_clone(SIGUSR1, NULL, NULL);
    if (taken == 0) _exit(4);
    know((pid_t)taken, "taken");
    tell_taken("exit", &set);
    waitpid((pid_t)taken, NULL, __WALL);
    const int fd = open_signalfd(SIGUSR1, 0);
    const long read_child = raw_clone(SIGUSR1, NULL, NULL);
    if (read_child == 0) _exit(5);
    know((pid_t)read_child, "child");
    struct signalfd_siginfo info;
    memset(&info, 0, sizeof info);
    if (!readable(fd) || read(fd, &info, sizeof info) < 0) fact("NEVER-CAME");
    fact("signalfd: code=%d band=%s", info.ssi_code, who(info.ssi_band));
    fact("pid=%s", who(info.ssi_pid));
    waitpid((pid_t)read_child, NULL, __WALL);
    close(fd);
}

/* Where si_pid is, a timer has its id. */
static void timer_overlay(void) {
    const sigset_t set = block_signal(SIGUSR1);
    const struct itimerspec soon = {{0, 0}, {0, 1000}};
    int id[4];
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGUSR1;
    event.sigev_value.sival_int = 21;
    for (int i = 0; i < 4; ++i) syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id[i]);
    syscall(SYS_timer_settime, id[3], 0, &soon, NULL);
    siginfo_t info;
    memset(&info, 0, sizeof info);
    fact("taken=%d", take_signal(&set, &info));
    fact("code=%d own-id=%s", info.si_code, yes(info.si_timerid == id[3]));
    fact("value=%d overrun=%d", info.si_value.sival_int, info.si_overrun);
    handle(SIGUSR1, SA_RESTART);
    syscall(SYS_timer_settime, id[2], 0, &soon, NULL);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    fact("handled=%s", yes(handled()));
    fact("code=%d own-id=%s", noted.si_code, yes(noted.si_timerid == id[2]));
    fact("value=%d overrun=%d", noted.si_value.sival_int, noted.si_overrun);
    const int fd = open_signalfd(SIGUSR1, 0);
    struct signalfd_siginfo read_info;
    memset(&read_info, 0xff, sizeof read_info);
    syscall(SYS_timer_settime, id[1], 0, &soon, NULL);
    if (!readable(fd) || read(fd, &read_info, sizeof read_info) < 0) fact("NEVER-CAME");
    fact("signalfd=%d own-id=%s", read_info.ssi_code, yes((int)read_info.ssi_tid == id[1]));
    fact("int=%d pid=%s", read_info.ssi_int, who(read_info.ssi_pid));
    close(fd);
    for (int i = 0; i < 4; ++i) syscall(SYS_timer_delete, id[i]);
}

/* Where si_pid is, a SIGPOLL has its band. */
static void poll_overlay(void) {
    int ends[2];
    if (pipe(ends) != 0) return;
    const sigset_t set = block_signal(SIGUSR1);
    fcntl(ends[0], F_SETOWN, getpid());
    fcntl(ends[0], F_SETSIG, SIGUSR1);
    fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
    siginfo_t info;
    memset(&info, 0, sizeof info);
    if (write(ends[1], "x", 1) != 1) return;
    fact("taken=%d", take_signal(&set, &info));
    fact("code=%d band=%#lx", info.si_code, (unsigned long)info.si_band);
    fact("own-fd=%s", yes(info.si_fd == ends[0]));
    handle(SIGUSR1, SA_RESTART);
    if (write(ends[1], "x", 1) != 1) return;
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    fact("handled=%s", yes(handled()));
    fact("code=%d band=%#lx", noted.si_code, (unsigned long)noted.si_band);
    fact("own-fd=%s", yes(noted.si_fd == ends[0]));
    const int fd = open_signalfd(SIGUSR1, 0);
    struct signalfd_siginfo read_info;
    memset(&read_info, 0, sizeof read_info);
    if (write(ends[1], "x", 1) != 1) return;
    if (!readable(fd) || read(fd, &read_info, sizeof read_info) < 0) fact("NEVER-CAME");
    fact("signalfd=%d band=%#x pid=%s", read_info.ssi_code, read_info.ssi_band, who(read_info.ssi_pid));
    fact("own-fd=%s", yes(read_info.ssi_fd == ends[0]));
    fcntl(ends[0], F_SETFL, 0);
    close(fd);
    close(ends[0]);
    close(ends[1]);
}

/* Where si_pid is, a fault has its address. */
static char* forbidden;

static void note_and_allow(int signal, siginfo_t* info, void* context) {
    note(signal, info, context);
    mprotect(forbidden, 4096, PROT_READ | PROT_WRITE);
}

static void fault_overlay(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = note_and_allow;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGSEGV, &action, NULL);
    forbidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *(volatile char*)(forbidden + 16) = 1;
    fact("handled=%s", yes(handled()));
    fact("code=%d own-address=%s", noted.si_code, yes(noted.si_addr == forbidden + 16));
    fact("written=%d", forbidden[16]);
    munmap(forbidden, 4096);
}

const struct test_case taken_cases[] = {
    {"arrival_wait_info", wait_info, "rt_sigtimedwait"},
    {"arrival_wait_asleep", wait_asleep, "rt_sigtimedwait"},
    {"arrival_wait_sigchld", wait_sigchld, "rt_sigtimedwait"},
    {"arrival_timed_wait", timed_wait, "rt_sigtimedwait"},
    {"arrival_timed_wait_interrupted", timed_wait_interrupted, "rt_sigtimedwait"},
    {"arrival_sender_gone", sender_gone, "rt_sigtimedwait"},
    {"arrival_signalfd", signal_fd, "read signalfd x1, signalfd4"},
    {"arrival_signalfd_sigchld", signal_fd_sigchld, "read signalfd x1"},
    {"arrival_signalfd_reads", signal_fd_reads,
     "read signalfd x2, read signalfd x3, read signalfd x5, read signalfd x6, read signalfd x7, "
     "read signalfd x10, read signalfd x16, readv signalfd"},
    {"arrival_signalfd_usual_reads", signal_fd_usual_reads, NULL},
    {"arrival_signalfd_shared", signal_fd_shared, "read signalfd x1"},
    {"arrival_exit_signal_taken", exit_signal_taken, "clone, rt_sigtimedwait, read signalfd x1"},
    {"arrival_timer_overlay", timer_overlay, "rt_sigtimedwait, read signalfd x1, timer_create"},
    {"arrival_poll_overlay", poll_overlay, "rt_sigtimedwait, read signalfd x1"},
    {"arrival_fault_overlay", fault_overlay, "rt_sigaction"},
    {NULL, NULL, NULL}};
