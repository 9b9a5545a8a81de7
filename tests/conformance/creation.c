/* Creation: fork, vfork, clone in its variants, clone3, exec. Threads are in threads.c. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>

#include "conformance.h"

extern char** environ;

/* The child's side of every case: its number, its parent's, through the board. */
static void tell_and_exit(void) {
    board->pid[0] = (pid_t)syscall(SYS_getpid);
    board->pid[1] = (pid_t)syscall(SYS_getppid);
    board->pid[2] = raw_gettid();
    _exit(7);
}

/* The parent's side: the three names for the child agree. */
static void compare(long created) {
    if (created < 0) {
        fact("failed=%s", who(created));
        return;
    }
    know((pid_t)created, "child");
    fact("created=%s", yes(created > 0));
    fact("%s", reap((pid_t)created));
    fact("getpid=%s", who(board->pid[0]));
    fact("getppid=%s", who(board->pid[1]));
    fact("gettid=%s", who(board->pid[2]));
}

static void forked(void) {
    const pid_t child = fork();
    if (child == 0) tell_and_exit();
    compare(child);
}

static void raw_forked(void) {
    const long child = syscall(SYS_fork);
    if (child == 0) tell_and_exit();
    compare(child);
}

static void vforked(void) {
    const pid_t child = vfork();
    if (child == 0) tell_and_exit();
    compare(child);
}

static void vfork_exec(void) {
    int seen[2];
    pid_t numbers[4] = {0, 0, 0, 0};
    if (pipe(seen) != 0) return;
    const pid_t child = vfork();
    if (child == 0) execute_helper("tell", seen[1]);
    know(child, "child");
    fact("read=%s", yes(read(seen[0], numbers, sizeof numbers) == (ssize_t)sizeof numbers));
    fact("getpid=%s", who(numbers[0]));
    fact("gettid=%s", who(numbers[1]));
    fact("getppid=%s", who(numbers[2]));
    fact("getpgrp=%s", who(numbers[3]));
    fact("%s", reap(child));
}

static void posix_spawned(void) {
    int seen[2];
    pid_t child = 0;
    pid_t numbers[4] = {0, 0, 0, 0};
    if (pipe(seen) != 0) return;
    char fd[16];
    snprintf(fd, sizeof fd, "%d", seen[1]);
    char* argv[] = {(char*)"conformance", (char*)"helper", (char*)"tell", fd, NULL};
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    fact("posix_spawn=%d", posix_spawn(&child, "/proc/self/exe", NULL, &attributes, argv, environ));
    know(child, "child");
    fact("read=%s", yes(read(seen[0], numbers, sizeof numbers) == (ssize_t)sizeof numbers));
    fact("getpid=%s", who(numbers[0]));
    fact("getppid=%s", who(numbers[2]));
    fact("own-group=%s", who(numbers[3]));
    fact("%s", reap(child));
    fact("missing=%d", posix_spawn(&child, "/nonexistent", NULL, NULL, argv, environ));
    fact("nothing-left=%s", who(waitpid(-1, NULL, WNOHANG)));
}

static void cloned(void) {
    const long child = raw_clone(SIGCHLD, NULL, NULL);
    if (child == 0) tell_and_exit();
    compare(child);
}

static void clone3_plain(void) {
    const long child = raw_clone3(0, SIGCHLD, NULL, NULL, NULL);
    if (child == 0) tell_and_exit();
    compare(child);
}

static void clone_vfork(void) {
    const long child = raw_clone(CLONE_VFORK | SIGCHLD, NULL, NULL);
    if (child == 0) tell_and_exit();
    fact("child-ran-first=%s", yes(board->pid[0] != 0));
    compare(child);
}

/* A child that begins in a function, on a stack of its own, though it shares no memory: what containers'
 * makers do. */
static int begin_on_stack(void* unused) {
    (void)unused;
    tell_and_exit();
    return 0;
}

static void child_on_stack(unsigned long flags) {
    enum { size = 1 << 16 };
    static char stack[size] __attribute__((aligned(16)));
    int parent_tid = 0;
    compare(clone(begin_on_stack, stack + size, (int)(flags | SIGCHLD), NULL, &parent_tid));
    if (flags & CLONE_PARENT_SETTID) fact("parent-tid=%s", who(parent_tid));
}

static void clone_on_stack(void) {
    child_on_stack(0);
}
static void clone_on_stack_settid(void) {
    child_on_stack(CLONE_PARENT_SETTID);
}

/* The memory that the kernel writes: whether it says the same as the call's result. A separate case for each
 * flag, because a layer may leave the kernel's number there. */
static void settid(unsigned long flags, int by_clone3) {
    int parent_tid = 0;
    volatile int* const child_tid = &board->count[0]; /* shared, so that the parent can see it too */
    const long child = by_clone3 ? raw_clone3(flags, SIGCHLD, NULL, &parent_tid, (int*)child_tid)
                                 : raw_clone(flags | SIGCHLD, &parent_tid, (int*)child_tid);
    if (child == 0) {
        board->count[1] = *child_tid;
        tell_and_exit();
    }
    const int parent_written = parent_tid;
    compare(child);
    if (flags & CLONE_PARENT_SETTID) fact("parent-tid=%s", who(parent_written));
    if (flags & CLONE_CHILD_SETTID) fact("child-tid=%s", who(board->count[1]));
}

static void parent_settid(void) {
    settid(CLONE_PARENT_SETTID, 0);
}
static void child_settid(void) {
    settid(CLONE_CHILD_SETTID, 0);
}
static void both_settid(void) {
    settid(CLONE_PARENT_SETTID | CLONE_CHILD_SETTID, 0);
}
static void clone3_parent_settid(void) {
    settid(CLONE_PARENT_SETTID, 1);
}
static void clone3_child_settid(void) {
    settid(CLONE_CHILD_SETTID, 1);
}

/* Without the flags the memory is left alone. */
static void no_settid(void) {
    int parent_tid = 77;
    board->count[0] = 77;
    const long child = raw_clone(SIGCHLD, &parent_tid, (int*)&board->count[0]);
    if (child == 0) tell_and_exit();
    compare(child);
    fact("parent-word-untouched=%s", yes(parent_tid == 77));
    fact("child-word-untouched=%s", yes(board->count[0] == 77));
}

/* CLEARTID clears its word only for those who share the address space: here it must do no harm. threads.c has
 * the other side. */
static void child_cleartid(void) {
    board->count[0] = 77;
    const long child = raw_clone(CLONE_CHILD_CLEARTID | SIGCHLD, NULL, (int*)&board->count[0]);
    if (child == 0) tell_and_exit();
    compare(child);
    fact("cleared=%s", yes(board->count[0] == 0));
}

/* The child becomes the caller's sibling. */
static void sibling(unsigned by_clone3) {
    const pid_t middle = offspring();
    if (middle == 0) {
        const long child = by_clone3 ? raw_clone3(CLONE_PARENT, 0, NULL, NULL, NULL)
                                     : raw_clone(CLONE_PARENT | SIGCHLD, NULL, NULL);
        if (child == 0) tell_and_exit();
        board->pid[3] = (pid_t)child;
        fact("own-wait=%s", who(waitpid((pid_t)child, NULL, 0)));
        _exit(0);
    }
    know(middle, "middle");
    fact("middle: %s", reap(middle));
    compare(board->pid[3]);
}

static void clone_parent(void) {
    sibling(0);
}
static void clone3_parent(void) {
    sibling(1);
}

static void check_pidfd(long child, int pidfd) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    know((pid_t)child, "child");
    fact("pidfd=%s", yes(pidfd > 2));
    fact("cloexec=%s", yes(fcntl(pidfd, F_GETFD) == FD_CLOEXEC));
    fact("waitid=%s", result(raw_waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED)));
    fact("si_pid=%s", who(info.si_pid));
    fact("si_status=%d", info.si_status);
    close(pidfd);
}

static void clone_pidfd(void) {
    int pidfd = -1;
    const long child = raw_clone(CLONE_PIDFD | SIGCHLD, &pidfd, NULL);
    if (child == 0) tell_and_exit();
    check_pidfd(child, pidfd);
}

static void clone3_pidfd(void) {
    int pidfd = -1;
    const long child = raw_clone3(CLONE_PIDFD, SIGCHLD, &pidfd, NULL, NULL);
    if (child == 0) tell_and_exit();
    check_pidfd(child, pidfd);
}

/* Children that don't send SIGCHLD are only waited for with __WCLONE or __WALL. */
static void exit_signal(void) {
    int status = 0;
    long child = raw_clone(0, NULL, NULL);
    if (child == 0) tell_and_exit();
    know((pid_t)child, "silent");
    fact("plain-wait=%s", who(waitpid((pid_t)child, &status, 0)));
    fact("wclone=%s", who(waitpid((pid_t)child, &status, (int)__WCLONE)));
    count_signal(SIGUSR1, SA_RESTART);
    child = raw_clone3(0, SIGUSR1, NULL, NULL, NULL);
    if (child == 0) tell_and_exit();
    know((pid_t)child, "usr1");
    fact("wall=%s", who(waitpid((pid_t)child, &status, __WALL)));
    fact("%s", ending(status));
}

static void errors(void) {
    static const uint64_t nothing[11];
    static const uint64_t size_without_stack[11] = {[6] = 1 << 16};
    static const uint64_t stack_without_size[11] = {[5] = 1 << 16};
    fact("thread-without-sighand=%s", who(raw_clone(CLONE_THREAD | SIGCHLD, NULL, NULL)));
    fact("sighand-without-vm=%s", who(raw_clone(CLONE_SIGHAND | SIGCHLD, NULL, NULL)));
    fact("fs-and-newns=%s", who(raw_clone(CLONE_FS | CLONE_NEWNS | SIGCHLD, NULL, NULL)));
    fact("pidfd-and-settid=%s",
         who(raw_clone(CLONE_PIDFD | CLONE_PARENT_SETTID | SIGCHLD, (int*)&board->count[0], NULL)));
    fact("clone3-small=%s", who(syscall(SYS_clone3, nothing, 8UL)));
    fact("clone3-null=%s", who(syscall(SYS_clone3, NULL, 88UL)));
    fact("clone3-huge=%s", who(syscall(SYS_clone3, nothing, 1UL << 20)));
    fact("clone3-size-without-stack=%s", who(syscall(SYS_clone3, size_without_stack, 88UL)));
    fact("clone3-stack-without-size=%s", who(syscall(SYS_clone3, stack_without_size, 88UL)));
    fact("clone3-exit-signal=%s", who(raw_clone3(0, 999, NULL, NULL, NULL)));
    fact("nothing-left=%s", who(waitpid(-1, NULL, WNOHANG)));
}

/* A number is unique among the living and the zombies, and numbers rise; but for the one time when they begin
 * anew. */
static void numbers(void) {
    enum { count = 60 };
    pid_t child[count];
    int falls = 0, distinct = 1;
    for (int i = 0; i < count; ++i) {
        child[i] = offspring();
        if (child[i] == 0) _exit(i);
        if (i > 0 && child[i] <= child[i - 1]) ++falls;
        for (int j = 0; j < i; ++j)
            if (child[j] == child[i]) distinct = 0;
    }
    fact("distinct=%s", yes(distinct));
    fact("rising=%s", yes(falls <= 1));
    int matched = 0;
    for (int i = count - 1; i >= 0; --i) {
        int status = 0;
        if (waitpid(child[i], &status, 0) == child[i] && WIFEXITED(status) && WEXITSTATUS(status) == i)
            ++matched;
    }
    fact("matched=%d", matched);
}

/* Each process of a chain sees its parent's number as its parent does. */
static void chain(void) {
    enum { depth = 12 };
    int wrong = 0, level = 0;
    pid_t parent = getpid(), child = 0;
    while (level < depth) {
        child = offspring();
        if (child != 0) break;
        ++level;
        if (getppid() != parent) wrong = 1;
        parent = getpid();
    }
    int status = 0;
    if (child != 0 && (waitpid(child, &status, 0) != child || status != 0)) wrong = 1;
    if (level > 0) _exit(wrong);
    fact("agree=%s", yes(!wrong));
}

/* exec keeps the number. */
static void exec_keeps(void) {
    int seen[2];
    pid_t numbers_seen[4] = {0, 0, 0, 0};
    if (pipe(seen) != 0) return;
    const pid_t child = offspring();
    if (child == 0) {
        setpgid(0, 0);
        execute_helper("tell", seen[1]);
    }
    know(child, "child");
    fact("read=%s", yes(read(seen[0], numbers_seen, sizeof numbers_seen) == (ssize_t)sizeof numbers_seen));
    fact("getpid=%s", who(numbers_seen[0]));
    fact("gettid=%s", who(numbers_seen[1]));
    fact("getppid=%s", who(numbers_seen[2]));
    fact("getpgrp=%s", who(numbers_seen[3]));
    fact("%s", reap(child));
}

const struct test_case creation_cases[] = {{"fork", forked, NULL},
                                           {"fork_raw", raw_forked, "fork"},
                                           {"vfork", vforked, "vfork"},
                                           {"vfork_exec", vfork_exec, "vfork"},
                                           {"posix_spawn", posix_spawned, "clone"},
                                           {"clone", cloned, "clone"},
                                           {"clone3", clone3_plain, "clone3"},
                                           {"clone_vfork", clone_vfork, "clone"},
                                           {"clone_on_stack", clone_on_stack, "clone"},
                                           {"clone_on_stack_settid", clone_on_stack_settid, "clone"},
                                           {"clone_parent_settid", parent_settid, "clone"},
                                           {"clone_child_settid", child_settid, "clone"},
                                           {"clone_both_settid", both_settid, "clone"},
                                           {"clone3_parent_settid", clone3_parent_settid, "clone3"},
                                           {"clone3_child_settid", clone3_child_settid, "clone3"},
                                           {"clone_no_settid", no_settid, "clone"},
                                           {"clone_child_cleartid", child_cleartid, "clone"},
                                           {"clone_parent", clone_parent, "clone"},
                                           {"clone3_parent", clone3_parent, "clone3"},
                                           {"clone_pidfd", clone_pidfd, "clone"},
                                           {"clone3_pidfd", clone3_pidfd, "clone3"},
                                           {"clone_exit_signal", exit_signal, "clone"},
                                           {"clone_errors", errors, "clone"},
                                           {"fork_numbers", numbers, NULL},
                                           {"fork_chain", chain, NULL},
                                           {"exec_keeps", exec_keeps, "execve"},
                                           {NULL, NULL, NULL}};
