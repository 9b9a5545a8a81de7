/* Calls of one kind under a timer of 5 kHz. `timerstorm CALL HANDLER`: CALL is fork, vfork, spawn, getpid,
 * kill, path, message or thread; HANDLER is plain, siginfo, restart (SA_SIGINFO and SA_RESTART) or stack
 * (likewise, on a stack of its own). The handler itself asks who it is, looks at its own action, and every
 * now and then makes a child and waits for it. Proves that no number is ever wrong and that no call fails
 * with EINTR that can't. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

enum { least_rounds = 100, least_ticks = 300, period_us = 200, ticks_per_child = 97 };

static volatile sig_atomic_t ticks;
static pid_t self, parent;
static int restarts;

/* From handlers too. */
static void fail(const char* what, long got, long wanted) {
    char text[160];
    const int error = errno;
    const int size = snprintf(text, sizeof text, "timerstorm: %s: %ld instead of %ld, errno %d\n", what, got,
                              wanted, error);
    if (write(1, text, (size_t)size) < 0) abort();
    _exit(1);
}
static void expect(const char* what, long got, long wanted) {
    if (got != wanted) fail(what, got, wanted);
}

static pid_t wait_for(pid_t child, int* status) {
    pid_t ended;
    do ended = waitpid(child, status, 0);
    while (ended < 0 && errno == EINTR && !restarts);
    return ended;
}

static void make_child_by(pid_t (*create)(void), const char* what) {
    int status = 0;
    const pid_t child = create();
    if (child == 0) _exit(getppid() == self ? 7 : 8);
    if (child < 0) fail(what, child, 0);
    expect(what, wait_for(child, &status), child);
    expect(what, WIFEXITED(status) ? WEXITSTATUS(status) : -1, 7);
}

static void make_child(const char* what) {
    make_child_by(fork, what);
}

/* fork itself may wait for a lock of what the handler has interrupted; _Fork doesn't. */
static void on_tick(void) {
    const int error = errno;
    struct sigaction action;
    expect("getpid in handler", getpid(), self); /* first: it finds the registers of what was interrupted */
    expect("getppid in handler", getppid(), parent);
    expect("sigaction in handler", sigaction(SIGALRM, NULL, &action), 0);
    if (++ticks % ticks_per_child == 0) make_child_by(_Fork, "child of handler");
    errno = error;
}
static void on_plain(int number) {
    expect("signal", number, SIGALRM);
    on_tick();
}
static void on_siginfo(int number, siginfo_t* info, void* context) {
    expect("signal", number, SIGALRM);
    expect("si_signo", info->si_signo, SIGALRM);
    expect("context", context != NULL, 1);
    on_tick();
}

static void start_timer(const char* how) {
    struct sigaction action = {.sa_handler = on_plain};
    const struct itimerval period = {{0, period_us}, {0, period_us}};
    if (strcmp(how, "plain") != 0) {
        action.sa_sigaction = on_siginfo;
        action.sa_flags = SA_SIGINFO;
        restarts = strcmp(how, "siginfo") != 0;
    }
    if (restarts) action.sa_flags |= SA_RESTART;
    if (strcmp(how, "stack") == 0) {
        const stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
        expect("sigaltstack", sigaltstack(&stack, NULL), 0);
        action.sa_flags |= SA_ONSTACK;
    }
    expect("sigaction", sigaction(SIGALRM, &action, NULL), 0);
    expect("setitimer", setitimer(ITIMER_REAL, &period, NULL), 0);
}

static void with_fork(void) {
    make_child("fork");
}

static void with_vfork(void) {
    int status = 0;
    const pid_t child = vfork();
    if (child == 0) {
        execl("/proc/self/exe", "timerstorm", "child", (char*)NULL);
        _exit(9);
    }
    if (child < 0) fail("vfork", child, 0);
    expect("wait after vfork", wait_for(child, &status), child);
    expect("status after vfork", status, 7 << 8);
}

static void with_spawn(void) {
    char name[] = "timerstorm", what[] = "child";
    char* const argv[] = {name, what, NULL};
    int status = 0;
    pid_t child = -1;
    expect("posix_spawn", posix_spawn(&child, "/proc/self/exe", NULL, NULL, argv, environ), 0);
    expect("wait after spawn", wait_for(child, &status), child);
    expect("status after spawn", status, 7 << 8);
}

static void with_getpid(void) {
    for (int i = 0; i < 100; ++i) {
        expect("getpid", getpid(), self);
        expect("getpgid", getpgid(0), getpgrp());
        expect("getsid", getsid(0), getsid(self));
    }
}

static void with_kill(void) {
    for (int i = 0; i < 30; ++i) {
        expect("kill", kill(self, 0), 0);
        expect("kill nobody", kill(3999999, 0), -1);
        expect("kill nobody: errno", errno, ESRCH);
        expect("raise", raise(SIGCONT), 0);
    }
}

static void with_path(void) {
    char target[64], wanted[64];
    struct stat status;
    snprintf(wanted, sizeof wanted, "%d", self);
    for (int i = 0; i < 10; ++i) {
        const int plain = open("/etc/passwd", O_RDONLY), proc = open("/proc/self/stat", O_RDONLY);
        if (plain < 0 || proc < 0) fail("open", plain, proc);
        const ssize_t size = readlink("/proc/self", target, sizeof target - 1);
        target[size > 0 ? size : 0] = '\0';
        if (strcmp(target, wanted) != 0) fail("readlink", atoi(target), self);
        expect("read", read(proc, target, sizeof target - 1) > 0, 1);
        expect("number in stat", atoi(target), self);
        expect("stat", stat("/etc", &status), 0);
        expect("close", close(plain) | close(proc), 0);
    }
}

static void with_message(void) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
    } control;
    static int pair[2] = {-1, -1};
    const int on = 1;
    char byte = 'x';
    if (pair[0] < 0) {
        expect("socketpair", socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
        expect("SO_PASSCRED", setsockopt(pair[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof on), 0);
    }
    for (int i = 0; i < 30; ++i) {
        struct iovec data = {&byte, 1};
        struct msghdr message = {
            .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
        expect("send", send(pair[0], &byte, 1, 0), 1);
        ssize_t got;
        do got = recvmsg(pair[1], &message, 0);
        while (got < 0 && errno == EINTR && !restarts);
        expect("recvmsg", got, 1);
        const struct cmsghdr* part = CMSG_FIRSTHDR(&message);
        if (part == NULL) fail("no credentials", 0, self);
        struct ucred sender;
        memcpy(&sender, CMSG_DATA(part), sizeof sender);
        expect("sender", sender.pid, self);
    }
}

static void* in_thread(void* unused) {
    expect("getpid in thread", getpid(), self);
    make_child("fork in thread");
    return unused;
}
static void with_thread(void) {
    pthread_t thread[4];
    for (int i = 0; i < 4; ++i)
        expect("pthread_create", pthread_create(&thread[i], NULL, in_thread, NULL), 0);
    for (int i = 0; i < 4; ++i) expect("pthread_join", pthread_join(thread[i], NULL), 0);
}

static const struct {
    const char* name;
    void (*once)(void);
} calls[] = {{"fork", with_fork}, {"vfork", with_vfork}, {"spawn", with_spawn},     {"getpid", with_getpid},
             {"kill", with_kill}, {"path", with_path},   {"message", with_message}, {"thread", with_thread}};

int main(int argc, char** argv) {
    if (argc == 2 && strcmp(argv[1], "child") == 0) return getpid() > 1 && getppid() > 0 ? 7 : 8;
    if (argc != 3) return 2;
    self = getpid();
    parent = getppid();
    for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
        if (strcmp(argv[1], calls[i].name) != 0) continue;
        start_timer(argv[2]);
        for (int round = 0; round < least_rounds || ticks < least_ticks; ++round) calls[i].once();
        const struct itimerval never = {{0, 0}, {0, 0}};
        setitimer(ITIMER_REAL, &never, NULL);
        printf("timerstorm: %s %s: right\n", argv[1], argv[2]);
        return 0;
    }
    return 2;
}
