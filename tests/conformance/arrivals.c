/* Signals in, as handlers see them: what they are told about the sender. */
#define _GNU_SOURCE
#include "arrivals.h"

#include <pthread.h>
#include <sys/time.h>

siginfo_t noted;
volatile pid_t noted_in;
volatile int noted_signals;

void note(int signal, siginfo_t* info, void* context) {
    (void)signal;
    (void)context;
    noted = *info;
    noted_in = raw_gettid();
    __atomic_fetch_add(&noted_signals, 1, __ATOMIC_RELEASE);
}

void handle(int signal, int flags) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = note;
    action.sa_flags = SA_SIGINFO | flags;
    sigaction(signal, &action, NULL);
}

int handled(void) {
    const int there = came(&noted_signals);
    __atomic_store_n(&noted_signals, 0, __ATOMIC_RELEASE);
    return there;
}

void tell(const char* how, const siginfo_t* info) {
    fact("%s: signo=%d", how, info->si_signo);
    fact("code=%d pid=%s", info->si_code, who(info->si_pid));
    if (info->si_code != SI_KERNEL) fact("own-uid=%s", yes(info->si_uid == getuid()));
}

void tell_handled(const char* how) {
    if (handled())
        tell(how, &noted);
    else
        fact("%s: NEVER-CAME", how);
}

void tell_taken(const char* how, const sigset_t* set) {
    siginfo_t info;
    memset(&info, 0xff, sizeof info);
    const int signal = take_signal(set, &info);
    if (signal == info.si_signo)
        tell(how, &info);
    else
        fact("%s: %s", how, who(signal));
}

int raw_tgkill(pid_t pid, pid_t tid, int signal) {
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
    handle(SIGIO, SA_RESTART);
    const long killed = raw_clone(SIGIO, NULL, NULL);
    if (killed == 0)
        for (;;) pause();
    know((pid_t)killed, "killed");
    kill((pid_t)killed, SIGKILL);
    tell_child("by-SIGIO");
    waitpid((pid_t)killed, NULL, __WALL);
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
    {"arrival_exit_signal", exit_signal, "clone, rt_sigaction"},
    {"arrival_to_child_restarting", to_child_restarting, "rt_sigaction"},
    {"arrival_to_child_interrupting", to_child_interrupting, "rt_sigaction"},
    {"arrival_back_and_forth", back_and_forth, "rt_sigaction"},
    {"arrival_restarted_read", restarted_read, "rt_sigaction"},
    {"arrival_ended_read", ended_read, "rt_sigaction"},
    {"arrival_from_kernel", from_kernel, "rt_sigaction"},
    {"arrival_cancel", cancel, "tgkill, rt_sigaction"},
    {"arrival_in_thread", in_thread, "rt_sigtimedwait, tgkill"},
    {"arrival_from_thread", from_thread, "rt_sigtimedwait"},
    {"arrival_after_exec", after_exec, "rt_sigtimedwait, rt_sigaction"},
    {"arrival_alternate_stack", alternate_stack, "rt_sigaction"},
    {NULL, NULL, NULL}};
