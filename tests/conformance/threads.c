/* Threads: their ids, children of threads, exec from one that doesn't lead. */
#define _GNU_SOURCE
#include <pthread.h>

#include "conformance.h"

/* A thread without any C library in it: only raw calls, no thread-local storage of its own. */
static char stack[64 * 1024] __attribute__((aligned(16)));

static int bare_thread(void* unused) {
    (void)unused;
    board->pid[0] = (pid_t)syscall(SYS_gettid);
    board->pid[1] = (pid_t)syscall(SYS_getpid);
    raise_flag(&board->flag[0]);
    syscall(SYS_exit, 0);
    return 0;
}

static void bare(void) {
    int parent_tid = 0;
    volatile int* const child_tid = &board->count[0];
    *child_tid = -1;
    const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                      CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
    const int tid =
        clone(bare_thread, stack + sizeof stack, flags, NULL, &parent_tid, NULL, (void*)(uintptr_t)child_tid);
    await(&board->flag[0]);
    while (__atomic_load_n(child_tid, __ATOMIC_ACQUIRE) != 0) usleep(500);
    fact("created=%s", yes(tid > 0));
    fact("gettid=clone:%s", yes(board->pid[0] == tid));
    fact("parent-tid=clone:%s", yes(parent_tid == tid));
    fact("getpid=%s", who(board->pid[1]));
    fact("cleared=yes");
}

/* CHILD_SETTID in a thread. */
static int settid_thread(void* unused) {
    (void)unused;
    board->pid[0] = (pid_t)syscall(SYS_gettid);
    board->count[1] = board->count[0];
    raise_flag(&board->flag[0]);
    syscall(SYS_exit, 0);
    return 0;
}

static void bare_child_settid(void) {
    const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                      CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
    const int tid = clone(settid_thread, stack + sizeof stack, flags, NULL, NULL, NULL,
                          (void*)(uintptr_t)&board->count[0]);
    await(&board->flag[0]);
    while (__atomic_load_n(&board->count[0], __ATOMIC_ACQUIRE) != 0) usleep(500);
    fact("child-tid=gettid:%s", yes(board->count[1] == board->pid[0]));
    fact("clone=gettid:%s", yes(tid == board->pid[0]));
}

static void* tell_ids(void* slot) {
    pid_t* const mine = slot;
    *mine = raw_gettid();
    return NULL;
}

static void many(void) {
    enum { count = 24 };
    pthread_t thread[count];
    pid_t id[count];
    int distinct = 1;
    for (int i = 0; i < count; ++i) pthread_create(&thread[i], NULL, tell_ids, &id[i]);
    for (int i = 0; i < count; ++i) pthread_join(thread[i], NULL);
    for (int i = 0; i < count; ++i)
        if (id[i] == getpid()) distinct = 0;
    fact("none-is-the-leader=%s", yes(distinct));
}

static void* fork_and_tell(void* unused) {
    (void)unused;
    const pid_t child = offspring();
    if (child == 0) {
        board->pid[0] = getpid();
        board->pid[1] = getppid();
        board->pid[2] = raw_gettid();
        _exit(4);
    }
    board->pid[3] = child;
    return NULL;
}

/* A child of any thread is the process's child, and any thread may wait for it. */
static void child_of_thread(void) {
    pthread_t one;
    pthread_create(&one, NULL, fork_and_tell, NULL);
    pthread_join(one, NULL);
    know(board->pid[3], "child");
    fact("%s", reap(board->pid[3]));
    fact("getpid=%s", who(board->pid[0]));
    fact("getppid=%s", who(board->pid[1]));
    fact("gettid=%s", who(board->pid[2]));
}

static void* wait_for_it(void* child) {
    int status = 0;
    const pid_t ended = waitpid(*(pid_t*)child, &status, 0);
    fact("wait=%s", who(ended));
    fact("%s", ending(status));
    return NULL;
}

static void wait_in_thread(void) {
    pthread_t one;
    pid_t child = child_that_exits("child", 6);
    pthread_create(&one, NULL, wait_for_it, &child);
    pthread_join(one, NULL);
}

/* With __WNOTHREAD a thread sees only its own children. */
static void* wait_nothread(void* child) {
    fact("other-thread=%s", who(waitpid(*(pid_t*)child, NULL, __WNOTHREAD)));
    return NULL;
}

static void own_children_only(void) {
    pthread_t one;
    pid_t child = child_that_exits("child", 6);
    pthread_create(&one, NULL, wait_nothread, &child);
    pthread_join(one, NULL);
    fact("own-thread=%s", who(waitpid(child, NULL, __WNOTHREAD)));
}

/* Two threads that each wait for their own child, and the children end in the other order. */
static pid_t awaited[2];

static void* wait_one(void* index) {
    int status = 0;
    const long which = (long)(intptr_t)index;
    raise_flag(&board->flag[which]);
    board->pid[which] = waitpid(awaited[which], &status, 0);
    board->count[which] = status;
    return NULL;
}

static void waits_side_by_side(void) {
    pthread_t thread[2];
    awaited[0] = child_that_waits("first");
    awaited[1] = child_that_waits("second");
    for (long i = 0; i < 2; ++i) pthread_create(&thread[i], NULL, wait_one, (void*)(intptr_t)i);
    await(&board->flag[0]);
    await(&board->flag[1]);
    kill(awaited[1], SIGTERM);
    pthread_join(thread[1], NULL);
    fact("second=%s", who(board->pid[1]));
    fact("%s", ending(board->count[1]));
    fact("first-still-there=%s", result(kill(awaited[0], 0)));
    kill(awaited[0], SIGKILL);
    pthread_join(thread[0], NULL);
    fact("first=%s", who(board->pid[0]));
    fact("%s", ending(board->count[0]));
}

/* Exec from a thread that doesn't lead: it takes the leader's place and number. */
static int exec_pipe[2];

static void* exec_now(void* unused) {
    (void)unused;
    execute_helper("tell", exec_pipe[1]);
}

static void exec_from_thread(void) {
    pid_t numbers[4] = {0, 0, 0, 0};
    if (pipe(exec_pipe) != 0) return;
    const pid_t child = offspring();
    if (child == 0) {
        pthread_t one;
        pthread_create(&one, NULL, exec_now, NULL);
        for (;;) pause();
    }
    know(child, "child");
    fact("read=%s", yes(read(exec_pipe[0], numbers, sizeof numbers) == (ssize_t)sizeof numbers));
    fact("getpid=%s", who(numbers[0]));
    fact("gettid=%s", who(numbers[1]));
    fact("getppid=%s", who(numbers[2]));
    fact("getpgrp=%s", who(numbers[3]));
    fact("%s", reap(child));
}

/* The leader ends, another thread lives on: the process is still there, under the same number. */
static void* outlive(void* unused) {
    (void)unused;
    while (board->flag[1] == 0) usleep(500);
    board->pid[0] = getpid();
    _exit(8);
}

static void leader_ends_first(void) {
    const pid_t child = offspring();
    if (child == 0) {
        pthread_t one;
        pthread_create(&one, NULL, outlive, NULL);
        raise_flag(&board->flag[0]);
        pthread_exit(NULL);
    }
    know(child, "child");
    await(&board->flag[0]);
    fact("wnohang=%s", who(waitpid(child, NULL, WNOHANG)));
    fact("kill-0=%s", result(kill(child, 0)));
    fact("getpgid=%s", who(getpgid(child)));
    raise_flag(&board->flag[1]);
    fact("%s", reap(child));
    fact("getpid=%s", who(board->pid[0]));
}

const struct test_case thread_cases[] = {{"thread_bare", bare, NULL},
                                         {"thread_bare_child_settid", bare_child_settid, NULL},
                                         {"thread_many", many, NULL},
                                         {"thread_child", child_of_thread, NULL},
                                         {"thread_wait", wait_in_thread, NULL},
                                         {"thread_wnothread", own_children_only, NULL},
                                         {"thread_waits_side_by_side", waits_side_by_side, NULL},
                                         {"thread_exec", exec_from_thread, "execve"},
                                         {"thread_leader_ends_first", leader_ends_first, NULL},
                                         {NULL, NULL, NULL}};
