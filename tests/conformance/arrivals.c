/* Signals in: what a handler, sigwaitinfo and a signalfd are told about the sender; and what lies at the same
 * place in siginfo_t but is no process number. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>

#include "conformance.h"

/* The last signal that `note` handled. */
static siginfo_t noted;
static volatile pid_t noted_in;
static volatile int noted_signals;

static void note(int signal, siginfo_t* info, void* context) {
    (void)signal;
    (void)context;
    noted = *info;
    noted_in = raw_gettid();
    __atomic_fetch_add(&noted_signals, 1, __ATOMIC_RELEASE);
}

static void handle(int signal, int flags) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = note;
    action.sa_flags = SA_SIGINFO | flags;
    sigaction(signal, &action, NULL);
}

static int handled(void) {
    const int there = came(&noted_signals);
    __atomic_store_n(&noted_signals, 0, __ATOMIC_RELEASE);
    return there;
}

static void tell(const char* how, const siginfo_t* info) {
    fact("%s: signo=%d", how, info->si_signo);
    fact("code=%d pid=%s", info->si_code, who(info->si_pid));
    if (info->si_code != SI_KERNEL) fact("own-uid=%s", yes(info->si_uid == getuid()));
}

static void tell_handled(const char* how) {
    if (handled())
        tell(how, &noted);
    else
        fact("%s: NEVER-CAME", how);
}

static void tell_taken(const char* how, const sigset_t* set) {
    siginfo_t info;
    memset(&info, 0xff, sizeof info);
    const int signal = take_signal(set, &info);
    if (signal == info.si_signo)
        tell(how, &info);
    else
        fact("%s: %s", how, who(signal));
}

static int raw_tgkill(pid_t pid, pid_t tid, int signal) {
    return (int)syscall(SYS_tgkill, pid, tid, signal);
}

static int raw_queue(pid_t pid, int signal, pid_t from, int value) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = signal;
    info.si_code = SI_QUEUE;
    info.si_pid = from;
    info.si_uid = getuid();
    info.si_value.sival_int = value;
    return (int)syscall(SYS_rt_sigqueueinfo, pid, signal, &info);
}

/* A child that does one thing and ends, all before this returns. It names itself before, since another thread
 * may be the one that prints what it does. */
#define CHILD_DOES(NAME, ...)           \
    do {                                \
        const pid_t does = offspring(); \
        if (does == 0) {                \
            know(getpid(), NAME);       \
            __VA_ARGS__;                \
            _exit(0);                   \
        }                               \
        reap(does);                     \
    } while (0)

/* A child that handles SIGUSR1 and tells what arrives; it ends after `signals` of them. */
static pid_t listener(int signals, int flags, const char* how) {
    board->flag[15] = 0;
    const pid_t child = offspring();
    if (child == 0) {
        handle(SIGUSR1, flags);
        raise_flag(&board->flag[15]);
        for (int i = 0; i < signals; ++i) {
            tell_handled(how);
            raise_flag(&board->flag[i]);
        }
        _exit(0);
    }
    know(child, "child");
    came(&board->flag[15]);
    return child;
}

static void handler_kill(void) {
    handle(SIGUSR1, SA_RESTART);
    kill(getpid(), SIGUSR1);
    tell_handled("self");
    raise(SIGUSR1);
    tell_handled("raise");
    CHILD_DOES("child", kill(getppid(), SIGUSR1));
    tell_handled("by-child");
}

static void handler_group(void) {
    handle(SIGUSR1, SA_RESTART);
    kill(0, SIGUSR1);
    tell_handled("own-group");
    CHILD_DOES("member", signal(SIGUSR1, SIG_IGN); kill(0, SIGUSR1));
    tell_handled("by-member");
    CHILD_DOES("outsider", const pid_t group = getpgrp(); setpgid(0, 0); kill(-group, SIGUSR1));
    tell_handled("by-outsider");
}

static void handler_tgkill(void) {
    handle(SIGUSR1, SA_RESTART);
    const pid_t self = getpid(), leader = raw_gettid();
    raw_tgkill(self, leader, SIGUSR1);
    tell_handled("self");
    CHILD_DOES("child", raw_tgkill(self, self, SIGUSR1));
    tell_handled("by-child");
    CHILD_DOES("second", syscall(SYS_tkill, self, SIGUSR1));
    tell_handled("tkill");
}

static void handler_sigqueue(void) {
    handle(SIGUSR1, SA_RESTART);
    const pid_t self = getpid();
    sigqueue(self, SIGUSR1, (union sigval){.sival_int = 5});
    tell_handled("self");
    fact("value=%d", noted.si_value.sival_int);
    CHILD_DOES("child", sigqueue(self, SIGUSR1, (union sigval){.sival_int = 6}));
    tell_handled("by-child");
    fact("value=%d", noted.si_value.sival_int);
    CHILD_DOES("second", raw_queue(self, SIGUSR1, self, 7));
    tell_handled("as-receiver");
    fact("value=%d", noted.si_value.sival_int);
    CHILD_DOES("third", raw_queue(self, SIGUSR1, 0, 8));
    tell_handled("as-nobody");
}

/* The kernel believes a sender within the same namespace whatever it says. */
static void made_up_sender(void) {
    handle(SIGUSR1, SA_RESTART);
    raw_queue(getpid(), SIGUSR1, unknown_pid, 1);
    fact("%s", yes(handled()));
    fact("as-supplied=%s", yes(noted.si_pid == unknown_pid));
}

static void handler_pidfd(void) {
    handle(SIGUSR1, SA_RESTART);
    const pid_t self = getpid();
    CHILD_DOES("child", syscall(SYS_pidfd_send_signal, raw_pidfd_open(self), SIGUSR1, NULL, 0));
    tell_handled("by-child");
}

static void tell_child(const char* how) {
    if (!handled()) {
        fact("%s: NEVER-CAME", how);
        return;
    }
    fact("%s: signo=%d", how, noted.si_signo);
    fact("code=%d pid=%s", noted.si_code, who(noted.si_pid));
    fact("status=%d own-uid=%s", noted.si_status, yes(noted.si_uid == getuid()));
}

static void sigchld_exit(void) {
    handle(SIGCHLD, SA_RESTART);
    const pid_t exits = offspring();
    if (exits == 0) _exit(3);
    know(exits, "exits");
    tell_child("exit");
    reap(exits);
    const pid_t waits = child_that_waits("waits");
    kill(waits, SIGKILL);
    tell_child("kill");
    reap(waits);
    const pid_t raises = offspring();
    if (raises == 0) raise(SIGTERM);
    know(raises, "raises");
    tell_child("raise");
    reap(raises);
}

static void sigchld_stop(void) {
    handle(SIGCHLD, SA_RESTART);
    const pid_t child = child_that_waits("child");
    kill(child, SIGSTOP);
    tell_child("stop");
    kill(child, SIGCONT);
    tell_child("continue");
    kill(child, SIGTERM);
    tell_child("end");
    reap(child);
}

/* A child that was made with another exit signal than SIGCHLD. */
static void exit_signal(void) {
    handle(SIGUSR2, SA_RESTART);
    const long child = raw_clone(SIGUSR2, NULL, NULL);
    if (child == 0) _exit(4);
    know((pid_t)child, "child");
    tell_child("other-signal");
    waitpid((pid_t)child, NULL, __WALL);
}

static void to_child(int flags) {
    const pid_t child = listener(3, flags, "told");
    kill(child, SIGUSR1);
    came(&board->flag[0]);
    raw_tgkill(child, child, SIGUSR1);
    came(&board->flag[1]);
    sigqueue(child, SIGUSR1, (union sigval){.sival_int = 1});
    fact("%s", reap(child));
}

static void to_child_restarting(void) {
    to_child(SA_RESTART);
}

static void to_child_interrupting(void) {
    to_child(0);
}

/* A server that answers whom it was called by. */
static void back_and_forth(void) {
    enum { rounds = 20 };
    handle(SIGUSR2, SA_RESTART);
    const pid_t server = offspring();
    if (server == 0) {
        handle(SIGUSR1, SA_RESTART);
        raise_flag(&board->flag[0]);
        int answered = 0;
        while (answered < rounds && handled() && kill(noted.si_pid, SIGUSR2) == 0) ++answered;
        _exit(answered);
    }
    know(server, "server");
    came(&board->flag[0]);
    int answers = 0;
    for (int i = 0; i < rounds; ++i) {
        kill(server, SIGUSR1);
        if (!handled()) break;
        if (noted.si_pid == server && noted.si_code == SI_USER) ++answers;
    }
    fact("answers=%d", answers);
    fact("%s", reap(server));
}

/* The same read goes on after a handler with SA_RESTART, and ends with EINTR after one without. */
static void interrupted_read(int flags) {
    int ends[2];
    char byte = 0;
    if (pipe(ends) != 0) return;
    handle(SIGUSR1, flags);
    const pid_t self = getpid();
    const pid_t child = offspring();
    if (child == 0) {
        for (int i = 0; i < 5 || ((flags & SA_RESTART) == 0 && board->flag[0] == 0); ++i) {
            kill(self, SIGUSR1);
            usleep(1000);
        }
        if ((flags & SA_RESTART) != 0 && write(ends[1], "x", 1) != 1) _exit(1);
        _exit(0);
    }
    know(child, "child");
    const ssize_t length = read(ends[0], &byte, 1);
    fact("read=%s", length < 0 ? who(-1) : yes(length == 1));
    tell_handled("by-child");
    raise_flag(&board->flag[0]);
    fact("%s", reap(child));
}

static void restarted_read(void) {
    interrupted_read(SA_RESTART);
}

static void ended_read(void) {
    interrupted_read(0);
}

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
    struct signalfd_siginfo two[2];
    const int fd = open_signalfd(SIGUSR1, SFD_NONBLOCK);
    const sigset_t both = block_signal(SIGUSR2);
    sigset_t set = both;
    sigaddset(&set, SIGUSR1);
    fact("added=%s", yes(signalfd(fd, &set, 0) == fd));
    const pid_t self = getpid();
    fact("empty=%s", who(read(fd, two, sizeof two)));
    fact("too-short=%s", who(read(fd, two, sizeof two[0] - 1)));
    CHILD_DOES("one", kill(self, SIGUSR1));
    CHILD_DOES("two", kill(self, SIGUSR2));
    memset(two, 0, sizeof two);
    fact("both=%zd", read(fd, two, sizeof two));
    tell_read("first", &two[0]);
    tell_read("second", &two[1]);
    kill(self, SIGUSR1);
    fact("longer=%zd", read(fd, two, sizeof two));
    tell_read("own", &two[0]);
    kill(self, SIGUSR1);
    struct iovec parts[2] = {{two, 24}, {(char*)two + 24, sizeof two - 24}};
    fact("readv=%zd", readv(fd, parts, 2));
    tell_read("own", &two[0]);
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

/* What the kernel itself sends names nobody; SIGPIPE names the writer. */
static void from_kernel(void) {
    int ends[2];
    handle(SIGALRM, SA_RESTART);
    handle(SIGPIPE, SA_RESTART);
    const struct itimerval soon = {{0, 0}, {0, 1000}};
    setitimer(ITIMER_REAL, &soon, NULL);
    tell_handled("itimer");
    if (pipe(ends) != 0) return;
    close(ends[0]);
    fact("write=%s", who(write(ends[1], "x", 1)));
    tell_handled("pipe");
    close(ends[1]);
}

static void* sleep_forever(void* unused) {
    (void)unused;
    for (;;) pause();
    return NULL;
}

static void* spin_until_cancelled(void* unused) {
    (void)unused;
    raise_flag(&board->flag[1]);
    for (;;) {
        pthread_testcancel();
        usleep(100);
    }
    return NULL;
}

static void cancel(void) {
    pthread_t one;
    void* value = NULL;
    pthread_create(&one, NULL, sleep_forever, NULL);
    fact("cancel=%d", pthread_cancel(one));
    fact("join=%d", pthread_join(one, &value));
    fact("cancelled=%s", yes(value == PTHREAD_CANCELED));
    pthread_create(&one, NULL, spin_until_cancelled, NULL);
    came(&board->flag[1]);
    fact("cancel=%d", pthread_cancel(one));
    fact("join=%d", pthread_join(one, &value));
    fact("cancelled=%s", yes(value == PTHREAD_CANCELED));
}

/* The thread's own sigwaitinfo, and a handler that runs in the thread which was meant. */
static void* take_in_thread(void* unused) {
    (void)unused;
    const sigset_t set = block_signal(SIGUSR1);
    sigset_t open;
    sigemptyset(&open);
    sigaddset(&open, SIGUSR2);
    board->pid[0] = raw_gettid();
    raise_flag(&board->flag[0]);
    tell_taken("taken", &set);
    pthread_sigmask(SIG_UNBLOCK, &open, NULL);
    raise_flag(&board->flag[1]);
    tell_handled("handled");
    fact("in-thread=%s", yes(noted_in == board->pid[0]));
    return NULL;
}

static void in_thread(void) {
    pthread_t one;
    const pid_t self = getpid();
    block_signal(SIGUSR1);
    block_signal(SIGUSR2);
    handle(SIGUSR2, SA_RESTART);
    pthread_create(&one, NULL, take_in_thread, NULL);
    came(&board->flag[0]);
    CHILD_DOES("child", raw_tgkill(self, board->pid[0], SIGUSR1));
    came(&board->flag[1]);
    CHILD_DOES("second", raw_tgkill(self, board->pid[0], SIGUSR2));
    pthread_join(one, NULL);
}

/* A thread's signals come from its process. */
static void* send_from_thread(void* unused) {
    (void)unused;
    kill(getppid(), SIGUSR1);
    return NULL;
}

static void from_thread(void) {
    const sigset_t set = block_signal(SIGUSR1);
    const pid_t child = offspring();
    if (child == 0) {
        pthread_t one;
        pthread_create(&one, NULL, send_from_thread, NULL);
        pthread_join(one, NULL);
        _exit(0);
    }
    know(child, "child");
    tell_taken("by-thread", &set);
    reap(child);
}

static void after_exec(void) {
    static const char* const means[] = {"take", "handle"};
    for (size_t i = 0; i < sizeof means / sizeof means[0]; ++i) {
        int ends[2];
        pid_t seen[4] = {0, 0, 0, 0}, from = 0;
        if (pipe(ends) != 0) return;
        const pid_t child = offspring();
        if (child == 0) {
            block_signal(SIGUSR1);
            execute_helper(means[i], ends[1]);
        }
        know(child, "child");
        close(ends[1]);
        fact("%s: started=%s", means[i], yes(read(ends[0], seen, sizeof seen) == (ssize_t)sizeof seen));
        fact("kill=%s", result(kill(child, SIGUSR1)));
        fact("told=%s", yes(read(ends[0], &from, sizeof from) == (ssize_t)sizeof from));
        fact("by=%s", who(from));
        fact("%s", reap(child));
        close(ends[0]);
    }
}

/* A handler on an alternate stack, and what sigaction tells about the one that is set. */
static void alternate_stack(void) {
    static char memory[64 * 1024];
    const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    struct sigaction old;
    sigaltstack(&stack, NULL);
    handle(SIGUSR1, SA_RESTART | SA_ONSTACK);
    sigaction(SIGUSR1, NULL, &old);
    fact("handler=%s", yes(old.sa_sigaction == note));
    fact("flags=%s", yes((old.sa_flags & (SA_SIGINFO | SA_RESTART | SA_ONSTACK)) ==
                         (SA_SIGINFO | SA_RESTART | SA_ONSTACK)));
    const pid_t self = getpid();
    CHILD_DOES("child", kill(self, SIGUSR1));
    tell_handled("by-child");
    signal(SIGUSR1, SIG_IGN);
    kill(self, SIGUSR1);
    fact("ignored=%d", noted_signals);
    signal(SIGUSR1, SIG_DFL);
}

const struct test_case arrival_cases[] = {
    {"arrival_handler_kill", handler_kill, "rt_sigaction"},
    {"arrival_handler_group", handler_group, "rt_sigaction"},
    {"arrival_handler_tgkill", handler_tgkill, "rt_sigaction"},
    {"arrival_handler_sigqueue", handler_sigqueue, "rt_sigaction, rt_sigqueueinfo"},
    {"arrival_made_up_sender", made_up_sender, "rt_sigqueueinfo"},
    {"arrival_handler_pidfd", handler_pidfd, "pidfd_send_signal"},
    {"arrival_sigchld_exit", sigchld_exit, "rt_sigaction"},
    {"arrival_sigchld_stop", sigchld_stop, "rt_sigaction"},
    {"arrival_exit_signal", exit_signal, NULL},
    {"arrival_to_child_restarting", to_child_restarting, "rt_sigaction"},
    {"arrival_to_child_interrupting", to_child_interrupting, "rt_sigaction"},
    {"arrival_back_and_forth", back_and_forth, "rt_sigaction"},
    {"arrival_restarted_read", restarted_read, "rt_sigaction"},
    {"arrival_ended_read", ended_read, "rt_sigaction"},
    {"arrival_wait_info", wait_info, "rt_sigtimedwait"},
    {"arrival_wait_asleep", wait_asleep, "rt_sigtimedwait"},
    {"arrival_wait_sigchld", wait_sigchld, "rt_sigtimedwait"},
    {"arrival_timed_wait", timed_wait, "rt_sigtimedwait"},
    {"arrival_timed_wait_interrupted", timed_wait_interrupted, "rt_sigtimedwait"},
    {"arrival_sender_gone", sender_gone, "rt_sigtimedwait"},
    {"arrival_signalfd", signal_fd, "read signalfd, signalfd4"},
    {"arrival_signalfd_sigchld", signal_fd_sigchld, "read signalfd"},
    {"arrival_signalfd_reads", signal_fd_reads, "read signalfd, readv signalfd, read, readv"},
    {"arrival_signalfd_shared", signal_fd_shared, "read signalfd"},
    {"arrival_timer_overlay", timer_overlay, "rt_sigtimedwait, read signalfd, timer_create"},
    {"arrival_poll_overlay", poll_overlay, "rt_sigtimedwait, read signalfd"},
    {"arrival_fault_overlay", fault_overlay, "rt_sigaction"},
    {"arrival_from_kernel", from_kernel, "rt_sigaction"},
    {"arrival_cancel", cancel, "tgkill, rt_sigaction"},
    {"arrival_in_thread", in_thread, "rt_sigtimedwait, tgkill"},
    {"arrival_from_thread", from_thread, "rt_sigtimedwait"},
    {"arrival_after_exec", after_exec, "rt_sigtimedwait, rt_sigaction"},
    {"arrival_alternate_stack", alternate_stack, "rt_sigaction"},
    {NULL, NULL, NULL}};
