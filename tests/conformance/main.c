/* The driver: `conformance` runs every case, `conformance NAME` those whose names begin so, `conformance
 * pid1` those that only a process 1 can run, `conformance cgroups` those that need cgroups to write to;
 * `conformance --covers` says which rows of the surface each case asks about. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/mman.h>

#include "conformance.h"

struct board* board;

void fact(const char* format, ...) {
    const int room = (int)sizeof board->facts - board->length;
    char spaced[256];
    snprintf(spaced, sizeof spaced, " %s", format);
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(board->facts + board->length, (size_t)room, spaced, arguments);
    va_end(arguments);
    if (length < 0 || length >= room) abort();
    board->length += length;
}

/* Several processes may do so at once. */
void know(pid_t pid, const char* name) {
    const int at = __sync_fetch_and_add(&board->known_count, 1);
    if (at >= (int)(sizeof board->known / sizeof board->known[0])) abort();
    snprintf(board->known[at].name, sizeof board->known[0].name, "%s", name);
    __sync_synchronize();
    board->known[at].pid = pid;
}

static const char* error_name(int error) {
    static const struct {
        int error;
        const char* name;
    } names[] = {{EPERM, "EPERM"},
                 {ESRCH, "ESRCH"},
                 {EINTR, "EINTR"},
                 {EIO, "EIO"},
                 {EBADF, "EBADF"},
                 {ECHILD, "ECHILD"},
                 {EAGAIN, "EAGAIN"},
                 {EACCES, "EACCES"},
                 {EFAULT, "EFAULT"},
                 {EINVAL, "EINVAL"},
                 {ENOTTY, "ENOTTY"},
                 {ENOSYS, "ENOSYS"},
                 {ENOMEM, "ENOMEM"},
                 {ENXIO, "ENXIO"},
                 {E2BIG, "E2BIG"},
                 {ENOENT, "ENOENT"},
                 {ENOTDIR, "ENOTDIR"},
                 {EISDIR, "EISDIR"},
                 {ELOOP, "ELOOP"},
                 {EEXIST, "EEXIST"},
                 {ENODEV, "ENODEV"},
                 {EBUSY, "EBUSY"},
                 {ENOTSUP, "ENOTSUP"},
                 {ETIMEDOUT, "ETIMEDOUT"},
                 {ENOPROTOOPT, "ENOPROTOOPT"},
                 {ENODATA, "ENODATA"}};
    static char other[24];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (names[i].error == error) return names[i].name;
    snprintf(other, sizeof other, "errno-%d", error);
    return other;
}

const char* who(long pid) {
    if (pid == -1) return error_name(errno);
    if (pid == 0) return "0";
    for (int i = 0; i < board->known_count; ++i)
        if (board->known[i].pid == pid) return board->known[i].name;
    return "stranger";
}

const char* result(long value) {
    if (value == -1) return error_name(errno);
    return value == 0 ? "ok" : "value";
}

const char* ending(int status) {
    static char text[32];
    if (WIFEXITED(status))
        snprintf(text, sizeof text, "exit-%d", WEXITSTATUS(status));
    else if (WIFSIGNALED(status))
        snprintf(text, sizeof text, "signal-%d", WTERMSIG(status));
    else if (WIFSTOPPED(status))
        snprintf(text, sizeof text, "stopped-%d", WSTOPSIG(status));
    else
        snprintf(text, sizeof text, WIFCONTINUED(status) ? "continued" : "status-%#x", (unsigned)status);
    return text;
}

const char* yes(int condition) {
    return condition ? "yes" : "no";
}

enum { patience_seconds = 12, short_patience_seconds = 3 };

pid_t offspring(void) {
    const pid_t child = fork();
    if (child < 0) {
        fact("FORK-FAILED=%s", error_name(errno));
        _exit(99);
    }
    if (child == 0) alarm(patience_seconds);
    return child;
}

void* idle_body(void* unused) {
    (void)unused;
    board->pid[0] = raw_gettid();
    raise_flag(&board->flag[0]);
    for (;;) pause();
    return NULL;
}

void tell_and_pause(void) {
    board->pid[0] = getpid();
    board->pid[1] = getppid();
    board->pid[2] = getpgrp();
    board->pid[3] = getsid(0);
    board->pid[4] = raw_gettid();
    raise_flag(&board->flag[0]);
    for (;;) pause();
}

pid_t child_that_exits(const char* name, int code) {
    const pid_t child = offspring();
    if (child == 0) _exit(code);
    know(child, name);
    return child;
}

pid_t child_that_waits(const char* name) {
    const pid_t child = offspring();
    if (child == 0)
        for (;;) pause();
    know(child, name);
    return child;
}

const char* reap(pid_t child) {
    int status = 0;
    pid_t ended;
    do ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    return ended == child ? ending(status) : "wait-failed";
}

void end(pid_t child) {
    kill(child, SIGKILL);
    reap(child);
}

void await(volatile int* flag) {
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE)) usleep(500);
}

void raise_flag(volatile int* flag) {
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
}

int came(volatile int* flag) {
    for (int i = 0; i < short_patience_seconds * 2000; ++i) {
        if (__atomic_load_n(flag, __ATOMIC_ACQUIRE)) return 1;
        usleep(500);
    }
    return 0;
}

int readable(int fd) {
    struct pollfd wanted = {fd, POLLIN, 0};
    int ready;
    do ready = poll(&wanted, 1, short_patience_seconds * 1000);
    while (ready < 0 && errno == EINTR);
    return ready == 1;
}

int take_signal(const sigset_t* set, siginfo_t* info) {
    const struct timespec patience = {short_patience_seconds, 0};
    int taken;
    do taken = sigtimedwait(set, info, &patience);
    while (taken < 0 && errno == EINTR);
    return taken;
}

sigset_t block_signal(int signal) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return set;
}

static void count_one(int signal) {
    __atomic_fetch_add(&board->count[signal], 1, __ATOMIC_RELAXED);
}

void count_signal(int signal, int flags) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = count_one;
    action.sa_flags = flags;
    sigaction(signal, &action, NULL);
}

pid_t raw_gettid(void) {
    return (pid_t)syscall(SYS_gettid);
}

int raw_waitid(int type, pid_t id, siginfo_t* info, int options) {
    return (int)syscall(SYS_waitid, type, id, info, options, NULL);
}

long raw_clone(unsigned long flags, int* parent_tid, int* child_tid) {
    const long child = syscall(SYS_clone, flags, NULL, parent_tid, child_tid, 0UL);
    if (child == 0) alarm(patience_seconds);
    return child;
}

long raw_clone3(uint64_t flags, uint64_t exit_signal, int* pidfd, int* parent_tid, int* child_tid) {
    struct {
        uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
    } arguments = {flags, (uintptr_t)pidfd, (uintptr_t)child_tid, (uintptr_t)parent_tid, exit_signal, 0, 0,
                   0};
    const long child = syscall(SYS_clone3, &arguments, sizeof arguments);
    if (child == 0) alarm(patience_seconds);
    return child;
}

int raw_pidfd_open(pid_t pid) {
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

static volatile pid_t helped_by = -2;

static void note_sender(int signal, siginfo_t* info, void* context) {
    (void)signal;
    (void)context;
    helped_by = info->si_pid;
}

/* Who sends SIGUSR1, as the means in question tells it. */
static pid_t sender(const char* means) {
    if (strcmp(means, "take") == 0) {
        const sigset_t set = block_signal(SIGUSR1);
        siginfo_t info;
        return take_signal(&set, &info) < 0 ? -1 : info.si_pid;
    }
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = note_sender;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGUSR1, &action, NULL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    for (int i = 0; i < short_patience_seconds * 2000 && helped_by == -2; ++i) usleep(500);
    return helped_by;
}

/* What the program does after `execute_helper`. SIGUSR1 is blocked by who starts it, if it is to be taken or
 * handled.
 */
static int helper(const char* what, int fd) {
    const pid_t seen[4] = {getpid(), raw_gettid(), getppid(), getpgrp()};
    alarm(patience_seconds);
    if (write(fd, seen, sizeof seen) != (ssize_t)sizeof seen) return 1;
    if (strcmp(what, "wait") == 0)
        for (;;) pause();
    if (strcmp(what, "tell") == 0) return 5;
    const pid_t from = sender(what);
    if (write(fd, &from, sizeof from) != (ssize_t)sizeof from) return 1;
    return 5;
}

void execute_helper(const char* what, int fd) {
    char number[16];
    snprintf(number, sizeof number, "%d", fd);
    execl("/proc/self/exe", "conformance", "helper", what, number, (char*)NULL);
    _exit(98);
}

static void clean_board(void) {
    memset(board, 0, sizeof *board);
}

static void run_case(const struct test_case* one) {
    clean_board();
    know(getpid(), "driver");
    const pid_t child = fork();
    if (child == 0) {
        alarm(patience_seconds);
        setsid();
        know(getpid(), "self");
        one->body();
        _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    printf("%s:%s", one->name, board->facts);
    if (status != 0) printf(" ENDED-WITH %s", ending(status));
    printf("\n");
    fflush(stdout);
    if (status != 0) kill(-child, SIGKILL);
}

static void run_group(const struct test_case* group, const char* only) {
    for (; group->name != NULL; ++group)
        if (only == NULL || strncmp(only, group->name, strlen(only)) == 0) run_case(group);
}

/* "kill: kill_zero", a line for each row that a case asks about. */
static void print_covers(const struct test_case* group) {
    for (; group->name != NULL; ++group) {
        char rows[1024];
        snprintf(rows, sizeof rows, "%s", group->covers == NULL ? "" : group->covers);
        for (char *rest = rows, *row; (row = strtok_r(rest, ",", &rest)) != NULL;)
            printf("%s: %s\n", row + strspn(row, " "), group->name);
    }
}

int main(int argc, char** argv) {
    if (argc == 4 && strcmp(argv[1], "helper") == 0) return helper(argv[2], atoi(argv[3]));
    const struct test_case* const groups[] = {
        identity_cases,   setpgid_cases, creation_cases, thread_cases,  wait_cases,  waitid_cases,
        signal_cases,     queue_cases,   terminal_cases, arrival_cases, taken_cases, owner_cases,
        scheduling_cases, socket_cases,  sysv_cases,     path_cases,    link_cases,  listing_cases,
        change_cases,     content_cases, timer_cases,    prctl_cases,   pidfd_cases, namespace_cases,
        debugging_cases,  uring_cases};
    if (argc == 2 && strcmp(argv[1], "--covers") == 0) {
        for (size_t i = 0; i < sizeof groups / sizeof groups[0]; ++i) print_covers(groups[i]);
        print_covers(cgroup_cases);
        print_covers(pid1_cases);
        return 0;
    }
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED) return 1;

    if (argc == 2 && strcmp(argv[1], "pid1") == 0) {
        if (getpid() != 1) {
            fprintf(stderr, "conformance: this part needs a process 1, and this is %d\n", getpid());
            return 2;
        }
        for (const struct test_case* one = pid1_cases; one->name != NULL; ++one) {
            clean_board();
            know(1, "init");
            one->body();
            printf("%s:%s\n", one->name, board->facts);
            fflush(stdout);
        }
        return 0;
    }
    setsid();
    if (argc == 2 && strcmp(argv[1], "cgroups") == 0) {
        run_group(cgroup_cases, NULL);
        return 0;
    }
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; ++i)
        run_group(groups[i], argc == 2 ? argv[1] : NULL);
    return 0;
}
