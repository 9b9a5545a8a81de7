/* ptrace inside: a debugger names processes, is told of new ones by number, and what it traces goes on as if
 * it weren't. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include "proc.h"

#ifndef PTRACE_PEEKSIGINFO
#define PTRACE_PEEKSIGINFO 0x4209
#endif
#define GET_SYSCALL_INFO 0x420e
enum { stop_event = 128, short_deadline = 3 };

/* The raw call: the C library's takes a variable number of arguments, and its own ways with PEEKDATA. */
static long trace(int request, pid_t pid, uintptr_t address, const void* data) {
    return syscall(SYS_ptrace, request, pid, address, data);
}

static long trace_number(int request, pid_t pid, uintptr_t number) {
    return trace(request, pid, 0, (const void*)number);
}

/* Waits for one tracee. */
static int next_stop(pid_t pid) {
    int status = -1;
    pid_t told;
    do told = waitpid(pid, &status, __WALL);
    while (told < 0 && errno == EINTR);
    if (told != pid) fact("WAIT=%s", who(told));
    return told == pid ? status : -1;
}

static const char* stop_name(int status) {
    static char text[48];
    const int event = status >> 16;
    if (status == -1) return "nothing";
    if (WIFSTOPPED(status) && event != 0)
        snprintf(text, sizeof text, "event-%d", event);
    else
        snprintf(text, sizeof text, "%s", ending(status));
    return text;
}

static void begin(void) {
    alarm(short_deadline);
}

static pid_t message_of(pid_t pid) {
    unsigned long message = 0;
    return trace(PTRACE_GETEVENTMSG, pid, 0, &message) == 0 ? (pid_t)message : -1;
}

/* A child that asks to be traced, stops, and then does something. */
static pid_t traced_child(const char* name, void (*does)(void), uintptr_t options) {
    const pid_t child = offspring();
    if (child == 0) {
        trace(PTRACE_TRACEME, 0, 0, NULL);
        raise(SIGSTOP);
        does();
        _exit(0);
    }
    know(child, name);
    fact("first=%s", stop_name(next_stop(child)));
    trace_number(PTRACE_SETOPTIONS, child, options | PTRACE_O_EXITKILL);
    return child;
}

static void nothing(void) {}

static void trace_me(void) {
    begin();
    const pid_t child = traced_child("child", nothing, 0);
    siginfo_t info;
    memset(&info, 0, sizeof info);
    fact("getsiginfo=%s", result(trace(PTRACE_GETSIGINFO, child, 0, &info)));
    fact("signo=%d code=%d pid=%s", info.si_signo, info.si_code, who(info.si_pid));
    fact("tracer=%s", line_of(path_of("/proc/%d/status", child), "TracerPid"));
    fact("continue=%s", result(trace(PTRACE_CONT, child, 0, NULL)));
    fact("end=%s", stop_name(next_stop(child)));
    fact("dead=%s", result(trace(PTRACE_CONT, child, 0, NULL)));
}

static void attach_errors(void) {
    begin();
    const pid_t child = child_that_waits("child");
    fact("unknown=%s", result(trace(PTRACE_ATTACH, unknown_pid, 0, NULL)));
    fact("zero=%s", result(trace(PTRACE_ATTACH, 0, 0, NULL)));
    fact("self=%s", result(trace(PTRACE_ATTACH, getpid(), 0, NULL)));
    fact("seize-unknown=%s", result(trace(PTRACE_SEIZE, unknown_pid, 0, NULL)));
    fact("seize-bad-options=%s", result(trace_number(PTRACE_SEIZE, child, 0x40000000)));
    fact("not-traced=%s", result(trace(PTRACE_CONT, child, 0, NULL)));
    fact("interrupt-not-traced=%s", result(trace(PTRACE_INTERRUPT, child, 0, NULL)));
    fact("peek-unknown=%s", result(trace(PTRACE_PEEKDATA, unknown_pid, 0, NULL)));
    fact("attach=%s", result(trace(PTRACE_ATTACH, child, 0, NULL)));
    next_stop(child);
    fact("twice=%s", result(trace(PTRACE_ATTACH, child, 0, NULL)));
    const pid_t other = offspring();
    if (other == 0) {
        fact("another's=%s", result(trace(PTRACE_ATTACH, child, 0, NULL)));
        fact("not-mine=%s", result(trace(PTRACE_CONT, child, 0, NULL)));
        _exit(0);
    }
    reap(other);
    fact("bad-request=%s", result(trace(77777, child, 0, NULL)));
    fact("detach=%s", result(trace(PTRACE_DETACH, child, 0, NULL)));
    fact("detach-again=%s", result(trace(PTRACE_DETACH, child, 0, NULL)));
    end(child);
    fact("dead=%s", result(trace(PTRACE_ATTACH, child, 0, NULL)));
}

static volatile long looked_at = 1234;

static void attach(void) {
    begin();
    const pid_t child = child_that_waits("child");
    struct user_regs_struct registers;
    long word = 0;
    fact("attach=%s", result(trace(PTRACE_ATTACH, child, 0, NULL)));
    fact("stop=%s", stop_name(next_stop(child)));
    fact("tracer=%s", line_of(path_of("/proc/%d/status", child), "TracerPid"));
    fact("peek=%s", result(trace(PTRACE_PEEKDATA, child, (uintptr_t)&looked_at, &word)));
    fact("word=%ld", word);
    fact("poke=%s", result(trace(PTRACE_POKEDATA, child, (uintptr_t)&looked_at, (void*)4321)));
    trace(PTRACE_PEEKDATA, child, (uintptr_t)&looked_at, &word);
    fact("word=%ld mine=%ld", word, looked_at);
    fact("peek-nowhere=%s", result(trace(PTRACE_PEEKDATA, child, 8, &word)));
    fact("registers=%s", result(trace(PTRACE_GETREGS, child, 0, &registers)));
    fact("in-user-space=%s", yes(registers.rip != 0 && registers.rip >> 47 == 0));
    fact("set=%s", result(trace(PTRACE_SETREGS, child, 0, &registers)));
    fact("user=%s", result(trace(PTRACE_PEEKUSER, child, offsetof(struct user_regs_struct, rsp), &word)));
    fact("stack=%s", yes((unsigned long)word == registers.rsp));
    fact("detach=%s", result(trace(PTRACE_DETACH, child, 0, NULL)));
    fact("tracer=%s", line_of(path_of("/proc/%d/status", child), "TracerPid"));
    fact("alive=%s", result(kill(child, 0)));
    kill(child, SIGTERM);
    fact("%s", reap(child));
}

static void seize(void) {
    begin();
    const pid_t child = child_that_waits("child");
    fact("seize=%s", result(trace_number(PTRACE_SEIZE, child, PTRACE_O_EXITKILL)));
    fact("nothing-yet=%s", who(waitpid(child, NULL, WNOHANG)));
    fact("interrupt=%s", result(trace(PTRACE_INTERRUPT, child, 0, NULL)));
    fact("stop=%s", stop_name(next_stop(child)));
    fact("continue=%s", result(trace(PTRACE_CONT, child, 0, NULL)));
    kill(child, SIGSTOP);
    fact("signal=%s", stop_name(next_stop(child)));
    fact("deliver=%s", result(trace_number(PTRACE_CONT, child, SIGSTOP)));
    fact("group-stop=%s", stop_name(next_stop(child)));
    fact("listen=%s", result(trace(PTRACE_LISTEN, child, 0, NULL)));
    kill(child, SIGCONT);
    fact("woken=%s", stop_name(next_stop(child)));
    trace(PTRACE_CONT, child, 0, NULL);
    fact("cont=%s", stop_name(next_stop(child)));
    trace(PTRACE_CONT, child, 0, NULL);
    kill(child, SIGKILL);
    fact("end=%s", stop_name(next_stop(child)));
}

/* What a tracee does between its stops; blocked, SIGCHLD can't come in between at another time each run. */
static void call_all(void) {
    block_signal(SIGCHLD);
    int status = 0;
    syscall(SYS_getpid);
    syscall(SYS_getpid);
    syscall(SYS_getppid);
    syscall(SYS_getpgid, 0);
    const long child = syscall(SYS_fork);
    if (child == 0) syscall(SYS_exit_group, 4);
    const long waited = syscall(SYS_wait4, child, &status, 0, NULL);
    syscall(SYS_kill, getppid(), 0);
    board->pid[0] = (pid_t)child;
    board->pid[1] = (pid_t)waited;
    board->count[0] = status;
}

struct call_count {
    long number;
    const char* name;
    int entries, exits;
    long last_result;
};

static void count_stop(struct call_count* counts, const struct user_regs_struct* registers, int leaving) {
    for (struct call_count* one = counts; one->name != NULL; ++one) {
        if ((long)registers->orig_rax != one->number) continue;
        leaving ? ++one->exits : ++one->entries;
        one->last_result = (long)registers->rax;
    }
}

static void syscall_stops(void) {
    begin();
    struct call_count counts[] = {{SYS_getpid, "getpid", 0, 0, 0},   {SYS_getppid, "getppid", 0, 0, 0},
                                  {SYS_getpgid, "getpgid", 0, 0, 0}, {SYS_fork, "fork", 0, 0, 0},
                                  {SYS_wait4, "wait4", 0, 0, 0},     {0, NULL, 0, 0, 0}};
    const pid_t child = traced_child("child", call_all, PTRACE_O_TRACESYSGOOD);
    int status = 0, odd = 0;
    for (int leaving = 0;; leaving = !leaving) {
        trace(PTRACE_SYSCALL, child, 0, NULL);
        status = next_stop(child);
        if (status == -1 || !WIFSTOPPED(status)) break;
        if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
            ++odd;
            leaving = !leaving;
            continue;
        }
        struct user_regs_struct registers;
        trace(PTRACE_GETREGS, child, 0, &registers);
        count_stop(counts, &registers, leaving);
    }
    fact("end=%s", stop_name(status));
    fact("other-stops=%d", odd);
    if (board->pid[0] > 0) know(board->pid[0], "grandchild");
    for (const struct call_count* one = counts; one->name != NULL; ++one) {
        fact("%s: entered=%d left=%d", one->name, one->entries, one->exits);
        fact("result=%s", who(one->last_result));
    }
    fact("fork-as-tracee-saw-it=%s", who(board->pid[0]));
    fact("wait=%s", who(board->pid[1]));
    fact("%s", ending(board->count[0]));
}

/* The newer way to ask at a stop. */
static void syscall_info(void) {
    begin();
    struct {
        uint8_t op, padding[3];
        uint32_t architecture;
        uint64_t ip, sp, first, rest[8];
    } info;
    const pid_t child = traced_child("child", call_all, PTRACE_O_TRACESYSGOOD);
    int getpids = 0, results = 0, in_getpid = 0, status = 0;
    for (;;) {
        trace(PTRACE_SYSCALL, child, 0, NULL);
        status = next_stop(child);
        if (status == -1 || !WIFSTOPPED(status)) break;
        memset(&info, 0, sizeof info);
        if (trace(GET_SYSCALL_INFO, child, sizeof info, &info) < 0) {
            fact("no-syscall-info=%s", who(-1));
            trace(PTRACE_CONT, child, 0, NULL);
            next_stop(child);
            return;
        }
        if (info.op == 1) in_getpid = info.first == (uint64_t)SYS_getpid;
        if (info.op == 1 && in_getpid) ++getpids;
        if (info.op == 2 && in_getpid && (pid_t)info.first == child) ++results;
    }
    fact("end=%s getpid-entered=%d", stop_name(status), getpids);
    fact("right-results=%d", results);
}

/* Forks in three ways, each once. */
static void make_process(void) {
    block_signal(SIGCHLD);
    const pid_t child = (pid_t)board->count[1] == SYS_vfork ? vfork() : (pid_t)syscall(board->count[1]);
    if (child == 0) _exit(board->count[2]);
    board->pid[0] = child;
    int status = 0;
    board->pid[1] = waitpid(child, &status, 0);
    board->count[0] = status;
    _exit(3);
}

static void fork_event(const char* name, long call, uintptr_t option, int event) {
    board->count[1] = (int)call;
    board->count[2] = 6;
    fact("%s:", name);
    const pid_t child = traced_child("child", make_process, option);
    trace(PTRACE_CONT, child, 0, NULL);
    int status = next_stop(child);
    fact("%s", yes(status >> 16 == event));
    const pid_t told = message_of(child);
    if (told > 0) know(told, name);
    fact("told=%s", who(told));
    fact("new=%s", told > 0 ? stop_name(next_stop(told)) : "nobody");
    fact("its-tracer=%s", line_of(path_of("/proc/%d/status", told), "TracerPid"));
    fact("its-parent=%s", line_of(path_of("/proc/%d/status", told), "PPid"));
    siginfo_t info;
    memset(&info, 0, sizeof info);
    fact("getsiginfo=%s", result(trace(PTRACE_GETSIGINFO, told, 0, &info)));
    fact("continue=%s", result(trace(PTRACE_CONT, told, 0, NULL)));
    trace(PTRACE_CONT, child, 0, NULL);
    fact("new-ends=%s", told > 0 ? stop_name(next_stop(told)) : "nobody");
    fact("child-ends=%s", stop_name(next_stop(child)));
    fact("fork-gave=%s", who(board->pid[0]));
    fact("wait-gave=%s", who(board->pid[1]));
    fact("%s", ending(board->count[0]));
}

static void forks(void) {
    begin();
    fork_event("fork", SYS_fork, PTRACE_O_TRACEFORK, PTRACE_EVENT_FORK);
    fork_event("vfork", SYS_vfork, PTRACE_O_TRACEVFORK, PTRACE_EVENT_VFORK);
}

/* The maker of a vfork's child goes on when that is done; this event names the child too. */
static void vfork_done(void) {
    begin();
    board->count[1] = SYS_vfork;
    board->count[2] = 6;
    const pid_t child = traced_child("child", make_process, PTRACE_O_TRACEVFORKDONE);
    trace(PTRACE_CONT, child, 0, NULL);
    const int status = next_stop(child);
    fact("done=%s", yes(status >> 16 == PTRACE_EVENT_VFORK_DONE));
    const pid_t told = message_of(child);
    trace(PTRACE_CONT, child, 0, NULL);
    fact("child-ends=%s", stop_name(next_stop(child)));
    fact("told=made:%s", yes(told > 0 && told == board->pid[0]));
}

static void* thread_body(void* unused) {
    (void)unused;
    board->pid[0] = raw_gettid();
    return NULL;
}

static void make_thread(void) {
    pthread_t one;
    pthread_create(&one, NULL, thread_body, NULL);
    pthread_join(one, NULL);
    _exit(3);
}

static void threads(void) {
    begin();
    const pid_t child = traced_child("child", make_thread, PTRACE_O_TRACECLONE);
    trace(PTRACE_CONT, child, 0, NULL);
    const int status = next_stop(child);
    fact("%s", yes(status >> 16 == PTRACE_EVENT_CLONE));
    const pid_t told = message_of(child);
    if (told > 0) know(told, "thread");
    fact("new=%s", told > 0 ? stop_name(next_stop(told)) : "nobody");
    fact("tgid=%s", line_of(path_of("/proc/%d/status", told), "Tgid"));
    trace(PTRACE_CONT, told, 0, NULL);
    trace(PTRACE_CONT, child, 0, NULL);
    /* Both run, and one may wait for the other: so whoever comes first. */
    int thread_ended = 0, end = -1;
    for (pid_t one; (one = waitpid(-1, &end, __WALL)) > 0 && one != child;)
        thread_ended = thread_ended || (one == told && WIFEXITED(end));
    fact("thread-ends=%s", yes(thread_ended));
    fact("child-ends=%s", stop_name(end));
    fact("told=gettid:%s", yes(told == board->pid[0]));
}

static int exec_pipe[2];

static void execute(void) {
    execute_helper("tell", exec_pipe[1]);
}

static void executes(void) {
    begin();
    pid_t seen[4] = {0, 0, 0, 0};
    if (pipe(exec_pipe) != 0) return;
    pid_t child = traced_child("child", execute, PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT);
    trace(PTRACE_CONT, child, 0, NULL);
    int status = next_stop(child);
    fact("exec=%s", yes(status >> 16 == PTRACE_EVENT_EXEC));
    fact("former=%s", who(message_of(child)));
    trace(PTRACE_CONT, child, 0, NULL);
    status = next_stop(child);
    fact("exit=%s", yes(status >> 16 == PTRACE_EVENT_EXIT));
    fact("status=%#x", (unsigned)message_of(child));
    trace(PTRACE_CONT, child, 0, NULL);
    fact("end=%s", stop_name(next_stop(child)));
    if (!readable(exec_pipe[0]) || read(exec_pipe[0], seen, sizeof seen) < 0) fact("nothing-told");
    fact("getpid=%s", who(seen[0]));
    fact("getppid=%s", who(seen[2]));
    child = traced_child("second", execute, 0);
    trace(PTRACE_CONT, child, 0, NULL);
    fact("without-option=%s", stop_name(next_stop(child)));
    trace(PTRACE_CONT, child, 0, NULL);
    fact("end=%s", stop_name(next_stop(child)));
}

/* A signal on its way: the tracer sees its sender, may change it, and what the tracee's handler sees is that.
 */
static void note_sender(int signal, siginfo_t* info, void* context) {
    (void)signal;
    (void)context;
    board->pid[3] = info->si_pid;
    board->count[3] = info->si_code;
    raise_flag(&board->flag[3]);
}

static void handle_two(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = note_sender;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < 2; ++i) {
        raise(SIGSTOP); /* ready */
        came(&board->flag[3]);
        fact("handler: pid=%s code=%d", who(board->pid[3]), board->count[3]);
        board->flag[3] = 0;
    }
}

static void signal_infos(void) {
    begin();
    siginfo_t info;
    const pid_t child = traced_child("child", handle_two, 0);
    trace(PTRACE_CONT, child, 0, NULL);
    next_stop(child);
    trace(PTRACE_CONT, child, 0, NULL);
    const pid_t sender = offspring();
    if (sender == 0) _exit(kill(child, SIGUSR1));
    know(sender, "sender");
    fact("signal=%s", stop_name(next_stop(child)));
    fact("get=%s", result(trace(PTRACE_GETSIGINFO, child, 0, &info)));
    fact("pid=%s code=%d", who(info.si_pid), info.si_code);
    trace_number(PTRACE_CONT, child, SIGUSR1);
    next_stop(child);
    reap(sender);
    trace(PTRACE_CONT, child, 0, NULL);
    kill(child, SIGUSR1);
    fact("second=%s", stop_name(next_stop(child)));
    trace(PTRACE_GETSIGINFO, child, 0, &info);
    fact("pid=%s", who(info.si_pid));
    info.si_pid = child;
    fact("set=%s", result(trace(PTRACE_SETSIGINFO, child, 0, &info)));
    memset(&info, 0, sizeof info);
    trace(PTRACE_GETSIGINFO, child, 0, &info);
    fact("then=%s", who(info.si_pid));
    trace_number(PTRACE_CONT, child, SIGUSR1);
    fact("end=%s", stop_name(next_stop(child)));
}

static void wait_blocked(void) {
    block_signal(SIGUSR1);
    block_signal(SIGUSR2);
    raise(SIGSTOP);
}

/* Pending ones, without taking them. */
static void pending_infos(void) {
    begin();
    struct {
        uint64_t offset;
        uint32_t flags;
        int32_t number;
    } wanted = {0, 1, 2}; /* the process's queue */
    siginfo_t infos[2];
    const pid_t child = traced_child("child", wait_blocked, 0);
    trace(PTRACE_CONT, child, 0, NULL);
    fact("stop=%s", stop_name(next_stop(child)));
    kill(child, SIGUSR1);
    const pid_t sender = offspring();
    if (sender == 0) _exit(kill(child, SIGUSR2));
    know(sender, "sender");
    reap(sender);
    memset(infos, 0, sizeof infos);
    const long got = trace(PTRACE_PEEKSIGINFO, child, (uintptr_t)&wanted, infos);
    fact("peeked=%ld", got);
    for (long i = 0; i < got && i < 2; ++i) fact("signo=%d pid=%s", infos[i].si_signo, who(infos[i].si_pid));
    trace(PTRACE_CONT, child, 0, NULL);
    fact("end=%s", stop_name(next_stop(child)));
}

/* A family below the tracee, all of it attached by itself: child -> two grandchildren -> one each. */
static void make_family(void) {
    block_signal(SIGCHLD);
    int wrong = 0;
    const pid_t self = getpid();
    for (int i = 0; i < 2; ++i) {
        const pid_t grandchild = fork();
        if (grandchild == 0) {
            if (getppid() != self) _exit(90);
            const pid_t own = getpid(), great = fork();
            if (great == 0) _exit(getppid() == own && getpid() != own ? 11 : 91);
            int status = 0;
            if (waitpid(great, &status, 0) != great || !WIFEXITED(status) || WEXITSTATUS(status) != 11)
                _exit(92);
            _exit(21 + i);
        }
        int status = 0;
        if (waitpid(i == 0 ? grandchild : -1, &status, 0) != grandchild || !WIFEXITED(status) ||
            WEXITSTATUS(status) != 21 + i)
            ++wrong;
    }
    errno = 0;
    if (waitpid(-1, NULL, 0) != -1 || errno != ECHILD) ++wrong;
    _exit(wrong == 0 ? 31 : 93);
}

/* As strace -f does it: whoever stops goes on, until nobody is left. */
static void follow(pid_t child, int request) {
    int events = 0, exits[100] = {0}, named = 0;
    trace(request, child, 0, NULL);
    for (;;) {
        int status = 0;
        const pid_t stopped = waitpid(-1, &status, __WALL);
        if (stopped < 0 && errno == EINTR) continue;
        if (stopped < 0) break;
        if (WIFEXITED(status)) ++exits[WEXITSTATUS(status) % 100];
        if (!WIFSTOPPED(status)) continue;
        int signal = WSTOPSIG(status);
        if (status >> 16 != 0) {
            ++events;
            const pid_t made = message_of(stopped);
            if (made > 0 && made != stopped && kill(made, 0) == 0) ++named;
        }
        if (signal == SIGSTOP || signal == SIGTRAP || signal == (SIGTRAP | 0x80)) signal = 0;
        trace_number(request, stopped, (uintptr_t)signal);
    }
    fact("last=%s", who(-1));
    fact("events=%d named=%d", events, named);
    for (int i = 0; i < 100; ++i)
        if (exits[i] > 0) fact("exit-%d=%d", i, exits[i]);
}

static void family(void) {
    begin();
    const uintptr_t all = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
    follow(traced_child("child", make_family, all), PTRACE_CONT);
    follow(traced_child("second", make_family, all | PTRACE_O_TRACESYSGOOD), PTRACE_SYSCALL);
}

/* Somebody else's child: the tracer is told of its end first, then its parent. */
static void grandchild_traced(void) {
    begin();
    const pid_t middle = offspring();
    if (middle == 0) {
        const pid_t target = child_that_waits("target");
        board->pid[0] = target;
        raise_flag(&board->flag[0]);
        _exit(strcmp(reap(target), "signal-9") == 0 ? 9 : 1);
    }
    came(&board->flag[0]);
    const pid_t target = board->pid[0];
    fact("not-a-child=%s", who(waitpid(target, NULL, WNOHANG)));
    fact("seize=%s", result(trace_number(PTRACE_SEIZE, target, PTRACE_O_EXITKILL)));
    fact("now=%s", who(waitpid(target, NULL, WNOHANG)));
    fact("interrupt=%s", result(trace(PTRACE_INTERRUPT, target, 0, NULL)));
    fact("stop=%s", stop_name(next_stop(target)));
    siginfo_t info;
    memset(&info, 0, sizeof info);
    kill(target, SIGKILL);
    fact("waitid=%s", result(raw_waitid(P_PID, target, &info, WEXITED)));
    fact("pid=%s status=%d", who(info.si_pid), info.si_status);
    fact("parent-then: %s", reap(middle));
}

/* The tracer ends: what it traced goes on, or ends with it. */
static void tracer_ends(void) {
    begin();
    static const struct {
        const char* name;
        uintptr_t options;
    } ways[] = {{"left", 0}, {"killed", PTRACE_O_EXITKILL}};
    for (size_t i = 0; i < 2; ++i) {
        const pid_t target = child_that_waits("target");
        const pid_t tracer = offspring();
        if (tracer == 0) _exit(trace_number(PTRACE_SEIZE, target, ways[i].options) == 0 ? 0 : 1);
        fact("%s: tracer: %s", ways[i].name, reap(tracer));
        if (i == 0) fact("there=%s", who(waitpid(target, NULL, WNOHANG)));
        if (i == 0) fact("its-tracer=%s", line_of(path_of("/proc/%d/status", target), "TracerPid"));
        if (i == 0) kill(target, SIGTERM);
        fact("target: %s", reap(target));
    }
}

/* A thread of another process by its id. */
static void thread_attached(void) {
    begin();
    const pid_t child = offspring();
    if (child == 0) {
        pthread_t one;
        pthread_create(&one, NULL, idle_body, NULL);
        for (;;) pause();
    }
    came(&board->flag[0]);
    const pid_t thread = board->pid[0];
    know(thread, "thread");
    fact("attach=%s", result(trace(PTRACE_ATTACH, thread, 0, NULL)));
    fact("stop=%s", stop_name(next_stop(thread)));
    fact("tracer=%s", line_of(path_of("/proc/%d/task/%d/status", child, thread), "TracerPid"));
    fact("leader's=%s", line_of(path_of("/proc/%d/status", child), "TracerPid"));
    fact("detach=%s", result(trace(PTRACE_DETACH, thread, 0, NULL)));
    end(child);
}

const struct test_case debugging_cases[] = {{"debug_trace_me", trace_me, "ptrace"},
                                            {"debug_attach_errors", attach_errors, "ptrace"},
                                            {"debug_attach", attach, "ptrace"},
                                            {"debug_seize", seize, "ptrace"},
                                            {"debug_syscall_stops", syscall_stops, "ptrace"},
                                            {"debug_syscall_info", syscall_info, "ptrace"},
                                            {"debug_forks", forks, "ptrace"},
                                            {"debug_vfork_done", vfork_done, "ptrace"},
                                            {"debug_threads", threads, "ptrace"},
                                            {"debug_executes", executes, "ptrace"},
                                            {"debug_signal_infos", signal_infos, "ptrace"},
                                            {"debug_pending_infos", pending_infos, "ptrace"},
                                            {"debug_family", family, "ptrace, wait4"},
                                            {"debug_grandchild", grandchild_traced, "ptrace, waitid"},
                                            {"debug_tracer_ends", tracer_ends, "ptrace"},
                                            {"debug_thread_attached", thread_attached, "ptrace"},
                                            {NULL, NULL, NULL}};
