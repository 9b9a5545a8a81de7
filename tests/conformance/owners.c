/* Who owns a descriptor (gets its SIGIO) and who holds a lock. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "conformance.h"

#ifndef FIOSETOWN
#define FIOSETOWN 0x8901
#endif
#ifndef FIOGETOWN
#define FIOGETOWN 0x8903
#endif
#ifndef SIOCSPGRP
#define SIOCSPGRP 0x8902
#endif
#ifndef SIOCGPGRP
#define SIOCGPGRP 0x8904
#endif

/* The C libraries ask F_GETOWN_EX instead, because -1 to -4095 would look like an error. */
static long raw_get_owner(int fd) {
    return syscall(SYS_fcntl, fd, F_GETOWN);
}

static const char* group_name(long negative) {
    static char text[32];
    if (negative >= 0) return "not-negative";
    snprintf(text, sizeof text, "group-of-%s", who(-negative));
    return text;
}

static int pipe_or_end(int* ends) {
    if (pipe(ends) == 0) return 1;
    fact("PIPE-FAILED");
    return 0;
}

static void set_owner(void) {
    int ends[2];
    if (!pipe_or_end(ends)) return;
    const pid_t child = child_that_waits("child");
    fact("nobody=%s", who(raw_get_owner(ends[0])));
    fact("self=%s", result(fcntl(ends[0], F_SETOWN, getpid())));
    fact("get=%s", who(raw_get_owner(ends[0])));
    fact("libc=%s", who(fcntl(ends[0], F_GETOWN)));
    fact("child=%s", result(fcntl(ends[0], F_SETOWN, child)));
    fact("get=%s", who(raw_get_owner(ends[0])));
    fact("parent=%s", result(fcntl(ends[0], F_SETOWN, getppid())));
    fact("get=%s", who(raw_get_owner(ends[0])));
    fact("unknown=%s", result(fcntl(ends[0], F_SETOWN, unknown_pid)));
    fact("still=%s", who(raw_get_owner(ends[0])));
    fact("none=%s", result(fcntl(ends[0], F_SETOWN, 0)));
    fact("get=%s", who(raw_get_owner(ends[0])));
    fact("closed=%s", result(fcntl(999, F_SETOWN, child)));
    fact("other-end=%s", who(raw_get_owner(ends[1])));
    end(child);
}

static void set_group_owner(void) {
    int ends[2];
    if (!pipe_or_end(ends)) return;
    const pid_t child = child_that_waits("child");
    setpgid(child, child);
    fact("own=%s", result(fcntl(ends[0], F_SETOWN, -getpgrp())));
    fact("get=%s", group_name(fcntl(ends[0], F_GETOWN)));
    fact("child's=%s", result(fcntl(ends[0], F_SETOWN, -child)));
    fact("get=%s", group_name(fcntl(ends[0], F_GETOWN)));
    fact("unknown=%s", result(fcntl(ends[0], F_SETOWN, -unknown_pid)));
    fact("int-min=%s", result(fcntl(ends[0], F_SETOWN, (int)0x80000000)));
    fact("still=%s", group_name(fcntl(ends[0], F_GETOWN)));
    end(child);
    fact("gone=%s", who(fcntl(ends[0], F_GETOWN)));
}

static void owner_ends(void) {
    int ends[2];
    if (!pipe_or_end(ends)) return;
    const pid_t child = child_that_exits("child", 0);
    siginfo_t info;
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    fact("zombie=%s", result(fcntl(ends[0], F_SETOWN, child)));
    fact("get=%s", who(raw_get_owner(ends[0])));
    reap(child);
    fact("dead=%s", who(raw_get_owner(ends[0])));
    fact("set-dead=%s", result(fcntl(ends[0], F_SETOWN, child)));
}

static const char* type_name(int type) {
    static const char* const names[] = {"tid", "pid", "group"};
    return type >= 0 && type < 3 ? names[type] : "NO-TYPE";
}

static void set_and_get(int fd, const char* what, int type, pid_t pid) {
    struct f_owner_ex owner = {type, pid};
    fact("%s: set=%s", what, result(fcntl(fd, F_SETOWN_EX, &owner)));
    fact("unchanged=%s", yes(owner.pid == pid));
    memset(&owner, 0xff, sizeof owner);
    fact("get=%s", result(fcntl(fd, F_GETOWN_EX, &owner)));
    fact("%s=%s", type_name(owner.type), who(owner.pid));
}

static void owner_types(void) {
    int ends[2];
    if (!pipe_or_end(ends)) return;
    const pid_t child = child_that_waits("child");
    setpgid(child, child);
    set_and_get(ends[0], "pid", F_OWNER_PID, getpid());
    set_and_get(ends[0], "child", F_OWNER_PID, child);
    set_and_get(ends[0], "tid", F_OWNER_TID, raw_gettid());
    set_and_get(ends[0], "child-tid", F_OWNER_TID, child);
    set_and_get(ends[0], "group", F_OWNER_PGRP, getpgrp());
    set_and_get(ends[0], "child-group", F_OWNER_PGRP, child);
    set_and_get(ends[0], "unknown", F_OWNER_PID, unknown_pid);
    set_and_get(ends[0], "unknown-group", F_OWNER_PGRP, unknown_pid);
    set_and_get(ends[0], "unknown-tid", F_OWNER_TID, unknown_pid);
    set_and_get(ends[0], "no-type", 17, child);
    set_and_get(ends[0], "nobody", F_OWNER_PID, 0);
    fact("set-bad-memory=%s", result(fcntl(ends[0], F_SETOWN_EX, 8)));
    fact("get-bad-memory=%s", result(fcntl(ends[0], F_GETOWN_EX, 8)));
    fcntl(ends[0], F_SETOWN, -child);
    struct f_owner_ex owner = {0, 0};
    fact("after-setown: get=%s", result(fcntl(ends[0], F_GETOWN_EX, &owner)));
    fact("%s=%s", type_name(owner.type), who(owner.pid));
    end(child);
}

static void* own_as_thread(void* fd) {
    struct f_owner_ex owner = {F_OWNER_TID, raw_gettid()};
    fact("set=%s", result(fcntl(*(int*)fd, F_SETOWN_EX, &owner)));
    memset(&owner, 0, sizeof owner);
    fcntl(*(int*)fd, F_GETOWN_EX, &owner);
    fact("%s own-tid=%s", type_name(owner.type), yes(owner.pid == raw_gettid()));
    block_signal(SIGIO);
    const sigset_t set = block_signal(SIGUSR1);
    raise_flag(&board->flag[0]);
    siginfo_t info;
    fact("taken=%d", take_signal(&set, &info));
    return NULL;
}

/* A thread that doesn't lead owns it, and gets the signal. */
static void thread_owner(void) {
    int ends[2];
    pthread_t one;
    if (!pipe_or_end(ends)) return;
    block_signal(SIGUSR1);
    fcntl(ends[0], F_SETSIG, SIGUSR1);
    fcntl(ends[0], F_SETFL, O_ASYNC);
    pthread_create(&one, NULL, own_as_thread, &ends[0]);
    came(&board->flag[0]);
    if (write(ends[1], "x", 1) != 1) fact("write-failed");
    pthread_join(one, NULL);
}

static void socket_owner(void) {
    int ends[2];
    static const struct {
        const char* name;
        unsigned long set, get;
    } ways[] = {{"fio", FIOSETOWN, FIOGETOWN}, {"sioc", SIOCSPGRP, SIOCGPGRP}};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return;
    const pid_t child = child_that_waits("child");
    setpgid(child, child);
    for (size_t i = 0; i < 2; ++i) {
        int owner = getpid();
        fact("%s: self=%s", ways[i].name, result(ioctl(ends[0], ways[i].set, &owner)));
        fact("unchanged=%s", yes(owner == getpid()));
        fact("get=%s", result(ioctl(ends[0], ways[i].get, &owner)));
        fact("owner=%s", who(owner));
        fact("fcntl=%s", who(raw_get_owner(ends[0])));
        owner = child;
        ioctl(ends[0], ways[i].set, &owner);
        owner = 0;
        ioctl(ends[0], ways[i].get, &owner);
        fact("child=%s", who(owner));
        owner = -child;
        fact("group=%s", result(ioctl(ends[0], ways[i].set, &owner)));
        owner = 0;
        ioctl(ends[0], ways[i].get, &owner);
        fact("owner=%s", group_name(owner));
        owner = unknown_pid;
        fact("unknown=%s", result(ioctl(ends[0], ways[i].set, &owner)));
        fact("set-bad-memory=%s", result(ioctl(ends[0], ways[i].set, 8)));
        fact("get-bad-memory=%s", result(ioctl(ends[0], ways[i].get, 8)));
    }
    int owner = getpid(), pipe_ends[2];
    fact("closed=%s", result(ioctl(999, FIOSETOWN, &owner)));
    if (pipe(pipe_ends) == 0) fact("pipe=%s", result(ioctl(pipe_ends[0], FIOSETOWN, &owner)));
    end(child);
}

/* A child that waits for SIGIO and ends with it. */
static pid_t reader(const char* name, int slot) {
    const pid_t child = offspring();
    if (child == 0) {
        const sigset_t set = block_signal(SIGIO);
        siginfo_t info;
        raise_flag(&board->flag[slot]);
        _exit(take_signal(&set, &info) == SIGIO ? SIGIO : 1);
    }
    know(child, name);
    came(&board->flag[slot]);
    return child;
}

static void delivered(void) {
    int ends[2];
    if (!pipe_or_end(ends)) return;
    signal(SIGIO, SIG_IGN);
    pid_t child = reader("child", 0);
    fcntl(ends[0], F_SETFL, O_ASYNC);
    fcntl(ends[0], F_SETOWN, child);
    if (write(ends[1], "x", 1) != 1) fact("write-failed");
    fact("to-child: %s", reap(child));
    pid_t member = reader("leader", 1);
    setpgid(member, member);
    child = reader("member", 2);
    setpgid(child, member);
    fcntl(ends[0], F_SETOWN, -member);
    if (write(ends[1], "x", 1) != 1) fact("write-failed");
    fact("to-leader: %s", reap(member));
    fact("to-member: %s", reap(child));
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return;
    child = reader("second", 3);
    fcntl(sockets[0], F_SETFL, O_ASYNC);
    ioctl(sockets[0], SIOCSPGRP, &child);
    if (write(sockets[1], "x", 1) != 1) fact("write-failed");
    fact("of-socket: %s", reap(child));
}

/* Two descriptions of one file that is gone already. */
static int open_files(int* first, int* second) {
    char path[] = "/tmp/conformance-XXXXXX";
    *first = mkstemp(path);
    *second = open(path, O_RDWR | O_CLOEXEC);
    unlink(path);
    if (*first >= 0 && *second >= 0) return 1;
    fact("OPEN-FAILED=%s", who(-1));
    return 0;
}

static struct flock lock_of(short type, off_t start, off_t length) {
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = start;
    lock.l_len = length;
    return lock;
}

/* A child that holds a lock until it is killed. */
static pid_t holder(const char* name, int slot, int fd, int command, struct flock lock) {
    const pid_t child = offspring();
    if (child == 0) {
        if (fcntl(fd, command, &lock) == 0) board->count[slot] = 1;
        raise_flag(&board->flag[slot]);
        for (;;) pause();
    }
    know(child, name);
    came(&board->flag[slot]);
    fact("%s-locks=%s", name, yes(board->count[slot]));
    return child;
}

static void tell_lock(const char* how, int fd, int command, struct flock lock) {
    const long got = fcntl(fd, command, &lock);
    fact("%s=%s", how, result(got));
    if (got != 0) return;
    fact("type=%d start=%ld", lock.l_type, (long)lock.l_start);
    fact("length=%ld pid=%s", (long)lock.l_len, lock.l_pid == -1 ? "-1" : who(lock.l_pid));
}

static void lock_holder(void) {
    int fd, other;
    if (!open_files(&fd, &other)) return;
    const pid_t child = holder("child", 0, fd, F_SETLK, lock_of(F_WRLCK, 10, 10));
    const pid_t second = holder("second", 1, fd, F_SETLK, lock_of(F_RDLCK, 30, 0));
    tell_lock("child's", fd, F_GETLK, lock_of(F_WRLCK, 0, 20));
    tell_lock("second's", fd, F_GETLK, lock_of(F_WRLCK, 25, 0));
    tell_lock("readers", fd, F_GETLK, lock_of(F_RDLCK, 25, 0));
    tell_lock("other-description", other, F_GETLK, lock_of(F_WRLCK, 15, 1));
    struct flock free_range = lock_of(F_WRLCK, 0, 5);
    free_range.l_pid = 77;
    fact("free=%s", result(fcntl(fd, F_GETLK, &free_range)));
    fact("type=%d pid-untouched=%s", free_range.l_type, yes(free_range.l_pid == 77));
    free_range = lock_of(F_WRLCK, 0, 5);
    free_range.l_pid = getpid();
    fcntl(fd, F_GETLK, &free_range);
    fact("own-pid-untouched=%s", yes(free_range.l_pid == getpid()));
    tell_lock("bad-type", fd, F_GETLK, lock_of(9, 0, 20));
    fact("bad-memory=%s", result(fcntl(fd, F_GETLK, 8)));
    fact("closed=%s", result(fcntl(999, F_GETLK, &free_range)));
    end(child);
    tell_lock("holder-gone", fd, F_GETLK, lock_of(F_WRLCK, 0, 20));
    const pid_t asks = offspring();
    if (asks == 0) {
        struct flock own = lock_of(F_WRLCK, 100, 1);
        fcntl(fd, F_SETLK, &own);
        tell_lock("own", fd, F_GETLK, lock_of(F_WRLCK, 100, 1));
        _exit(0);
    }
    reap(asks);
    struct flock own = lock_of(F_WRLCK, 0, 5);
    fcntl(fd, F_SETLK, &own);
    const pid_t asks_parent = offspring();
    if (asks_parent == 0) {
        tell_lock("parent's", fd, F_GETLK, lock_of(F_WRLCK, 0, 5));
        _exit(0);
    }
    reap(asks_parent);
    end(second);
}

static void description_locks(void) {
    int fd, other;
    if (!open_files(&fd, &other)) return;
    const pid_t child = holder("child", 0, fd, F_SETLK, lock_of(F_WRLCK, 0, 10));
    tell_lock("process's", other, F_OFD_GETLK, lock_of(F_WRLCK, 0, 20));
    end(child);
    struct flock lock = lock_of(F_WRLCK, 50, 10);
    fact("lock=%s", result(fcntl(fd, F_OFD_SETLK, &lock)));
    tell_lock("ofd-asks-ofd", other, F_OFD_GETLK, lock_of(F_WRLCK, 50, 1));
    tell_lock("process-asks-ofd", other, F_GETLK, lock_of(F_WRLCK, 50, 1));
    tell_lock("own", fd, F_OFD_GETLK, lock_of(F_WRLCK, 50, 1));
    lock = lock_of(F_WRLCK, 50, 1);
    lock.l_pid = getpid();
    fact("pid-not-0=%s", result(fcntl(other, F_OFD_GETLK, &lock)));
}

static void* lock_in_thread(void* fd) {
    struct flock lock = lock_of(F_WRLCK, 0, 1);
    fcntl(*(int*)fd, F_SETLK, &lock);
    return NULL;
}

static void thread_lock(void) {
    int fd, other;
    pthread_t one;
    if (!open_files(&fd, &other)) return;
    pthread_create(&one, NULL, lock_in_thread, &fd);
    pthread_join(one, NULL);
    const pid_t asks = offspring();
    if (asks == 0) {
        tell_lock("thread's", fd, F_GETLK, lock_of(F_WRLCK, 0, 1));
        _exit(0);
    }
    reap(asks);
}

const struct test_case owner_cases[] = {
    {"owner_set", set_owner, "fcntl F_SETOWN, fcntl F_GETOWN"},
    {"owner_group", set_group_owner, "fcntl F_SETOWN, fcntl F_GETOWN, fcntl F_GETOWN_EX"},
    {"owner_ends", owner_ends, "fcntl F_SETOWN, fcntl F_GETOWN"},
    {"owner_types", owner_types, "fcntl F_SETOWN_EX, fcntl F_GETOWN_EX"},
    {"owner_thread", thread_owner, "fcntl F_SETOWN_EX, fcntl F_GETOWN_EX"},
    {"owner_socket", socket_owner, "ioctl FIOSETOWN, ioctl FIOGETOWN, ioctl SIOCSPGRP, ioctl SIOCGPGRP"},
    {"owner_delivered", delivered, "fcntl F_SETOWN, ioctl SIOCSPGRP"},
    {"lock_holder", lock_holder, "fcntl F_GETLK"},
    {"lock_of_description", description_locks, "fcntl F_OFD_GETLK, fcntl F_GETLK"},
    {"lock_of_thread", thread_lock, "fcntl F_GETLK"},
    {NULL, NULL, NULL}};
