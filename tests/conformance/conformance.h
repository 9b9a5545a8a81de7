/* One program that asks the kernel everything that has to do with process numbers, and prints the answers
 * without the numbers: as names ("child", "self"), as errors, as yes or no. Run natively, in the kernel's pid
 * namespace and in a flat one, it must print the same lines.
 *
 * A case is a function. It runs in a process of its own, which leads a session of its own; facts are
 * collected in memory shared with its descendants and printed by the driver when the case is over. Nothing
 * may depend on time: processes wait for each other through wait() and the board's flags.
 *
 * Plain C with no more than a C library, because it is built three times: glibc, static glibc, static musl.
 */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

struct test_case {
    const char* name;
    void (*body)(void);
    const char*
        covers; /* rows of the surface (pidns/surface/calls.cpp) that it asks about, or NULL: "kill, tkill" */
};

/* Each group ends with an empty entry. */
extern const struct test_case identity_cases[];
extern const struct test_case setpgid_cases[];
extern const struct test_case creation_cases[];
extern const struct test_case thread_cases[];
extern const struct test_case wait_cases[];
extern const struct test_case waitid_cases[];
extern const struct test_case signal_cases[];
extern const struct test_case queue_cases[];
extern const struct test_case terminal_cases[];
extern const struct test_case arrival_cases[];
extern const struct test_case taken_cases[];
extern const struct test_case owner_cases[];
extern const struct test_case scheduling_cases[];
extern const struct test_case socket_cases[];
extern const struct test_case sysv_cases[];
extern const struct test_case path_cases[];
extern const struct test_case link_cases[];
extern const struct test_case listing_cases[];
extern const struct test_case change_cases[];
extern const struct test_case content_cases[];
extern const struct test_case timer_cases[];
extern const struct test_case prctl_cases[];
extern const struct test_case pidfd_cases[];
extern const struct test_case namespace_cases[];
extern const struct test_case debugging_cases[];
extern const struct test_case cgroup_cases[];
extern const struct test_case uring_cases[];
extern const struct test_case pid1_cases[];

/* What the processes of one case share. */
struct board {
    char facts[4096];
    int length;
    struct {
        pid_t pid;
        char name[20];
    } known[64];
    int known_count;
    volatile pid_t pid[16];  /* numbers passed from one process to another */
    volatile int flag[16];   /* 0 until raised */
    volatile int count[128]; /* counters, by whatever the case likes */
};
extern struct board* board;

/* A number that no process has. */
enum { unknown_pid = 4190000 };

/* Adds " TEXT" to the case's line. At most one value with an effect in a call: C leaves the order of
 * arguments open. */
void fact(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* Gives a number a name. The first name stays. */
void know(pid_t pid, const char* name);

/* The name of a number; "0"; the errno's name for -1; "stranger" for a number without a name. */
const char* who(long pid);

/* "ok" for 0, the errno's name for -1, "value" else. */
const char* result(long value);

/* "exit 3", "signal 9", "stopped 19", "continued". */
const char* ending(int status);

const char* yes(int condition);

/* fork() for cases: the child can't outlive a hanging case for long. Fails the case instead of returning -1.
 */
pid_t offspring(void);

/* A child that exits at once; one that does nothing until a signal kills it; both with a name. */
pid_t child_that_exits(const char* name, int code);
pid_t child_that_waits(const char* name);

/* Waits for a child and returns how it ended, as text. "wait failed" if it wasn't ours. */
const char* reap(pid_t child);

/* Kills and reaps. */
void end(pid_t child);

/* Waits (polling) until the board's flag is raised. */
void await(volatile int* flag);
void raise_flag(volatile int* flag);

/* The same for what a broken layer may never do: within some seconds, or 0. */
int came(volatile int* flag);
int readable(int fd);

/* Takes a signal of the set, within some seconds; -1 if none came. The set must be blocked. */
int take_signal(const sigset_t* set, siginfo_t* info);
sigset_t block_signal(int signal);

/* Installs a handler that adds one to board->count[signal]. */
void count_signal(int signal, int flags);

/* A thread's body: leaves its number in pid[0], raises flag[0], and does nothing more. */
void* idle_body(void* unused);

/* Leaves its own numbers in pid[0..4] (getpid, getppid, getpgrp, getsid, gettid), raises flag[0], and does
 * nothing more. */
void tell_and_pause(void) __attribute__((noreturn));

/* The raw calls that have no wrapper in some C library. */
pid_t raw_gettid(void);
int raw_waitid(int type, pid_t id, siginfo_t* info, int options);
long raw_clone(unsigned long flags, int* parent_tid, int* child_tid);
long raw_clone3(uint64_t flags, uint64_t exit_signal, int* pidfd, int* parent_tid, int* child_tid);
int raw_pidfd_open(pid_t pid);

/* Executes this program again, as a helper that writes to fd its getpid, gettid, getppid and getpgrp, and
 * then ends with 5 ("tell"), waits for a signal ("wait"), or writes who sent it SIGUSR1 as a handler
 * ("handle") or rt_sigtimedwait ("take") tells it. */
void execute_helper(const char* what, int fd) __attribute__((noreturn));

#ifndef P_PIDFD
#define P_PIDFD 3
#endif
#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x00001000
#endif
#ifndef __WALL
#define __WALL 0x40000000
#endif
#ifndef __WCLONE
#define __WCLONE 0x80000000
#endif
#ifndef __WNOTHREAD
#define __WNOTHREAD 0x20000000
#endif

#endif
