/* What bench_monitor measures, from inside a container: one kind of call, over and over, each timed.
 *
 *     load NAME MILLISECONDS          writes the number of calls of all its processes, the nanoseconds that
 * these took, and the nanoseconds of each call of its own: 64-bit words load run COUNT COMMAND...       the
 * same for a command, with the time that it runs
 *
 * Raw calls: no C library between them and the kernel that could remember an answer. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { most_samples = 1 << 20, storming = 8 };

static char* self;
static struct {
    volatile int ready;
    volatile int failed;
    volatile uint64_t calls[storming];
} * shared;

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

static void must(int right, const char* what) {
    if (right) return;
    perror(what);
    _exit(1);
}

/* The calls. */

static void call_read(void) { /* one that doesn't trap */
    char c;
    syscall(SYS_read, -1, &c, 1UL);
}
static void call_getpid(void) {
    syscall(SYS_getpid);
}
static void call_getppid(void) {
    syscall(SYS_getppid);
}
static void call_kill(void) {
    static long own;
    if (own == 0) own = syscall(SYS_getpid);
    must(syscall(SYS_kill, own, 0) == 0, "kill");
}
static void call_kill_group(void) {
    must(syscall(SYS_kill, 0, 0) == 0, "kill");
}
static void open_and_close(const char* path) {
    const long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
    must(fd >= 0, path);
    syscall(SYS_close, fd);
}
static void call_open(void) {
    open_and_close("/etc/passwd");
}
static void call_open_relative(void) {
    open_and_close("passwd");
}
static void call_open_proc(void) {
    open_and_close("/proc/self/stat");
}
static void call_stat(void) {
    struct stat s;
    must(syscall(SYS_newfstatat, AT_FDCWD, "/etc/passwd", &s, 0) == 0, "stat");
}
static void on_signal(int signal) {
    (void)signal;
}
static void call_sigaction(void) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    must(sigaction(SIGUSR1, &action, NULL) == 0, "sigaction");
}
static void call_message(void) { /* sent and received */
    static int ends[2];
    if (ends[1] == 0) must(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0, "socketpair");
    char byte = 0;
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    must(syscall(SYS_sendmsg, ends[0], &message, 0) == 1, "sendmsg");
    must(syscall(SYS_recvmsg, ends[1], &message, 0) == 1, "recvmsg");
}
static void call_messages(void) { /* room for a thousand, of which none comes */
    enum { many = 1000 };
    static struct mmsghdr messages[many];
    static int socket_fd;
    static char byte;
    static struct iovec part = {&byte, 1};
    if (socket_fd == 0) {
        must((socket_fd = socket(AF_INET, SOCK_DGRAM, 0)) >= 0, "socket");
        for (int i = 0; i < many; ++i)
            messages[i].msg_hdr = (struct msghdr){.msg_iov = &part, .msg_iovlen = 1};
    }
    syscall(SYS_recvmmsg, socket_fd, messages, (unsigned)many, MSG_DONTWAIT, NULL);
}
static void wait_for(long child) {
    int status;
    must(syscall(SYS_wait4, child, &status, 0, NULL) == child && status == 0, "wait4");
}
static void call_fork(void) {
    const long child = syscall(SYS_fork);
    must(child >= 0, "fork");
    if (child == 0) syscall(SYS_exit_group, 0);
    wait_for(child);
}
static void call_vfork(void) {
    char* argv[] = {self, "true", NULL};
    char* envp[] = {NULL};
    const pid_t child = vfork();
    must(child >= 0, "vfork");
    if (child == 0) {
        execve(self, argv, envp);
        _exit(1);
    }
    wait_for(child);
}
static void call_list(void) {
    static char entries[32768];
    const long fd = syscall(SYS_openat, AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY);
    must(fd >= 0, "/proc");
    long got;
    while ((got = syscall(SYS_getdents64, fd, entries, sizeof entries)) > 0) continue;
    must(got == 0, "getdents64");
    syscall(SYS_close, fd);
}

/* What happens beside them. */

static void crowd(int count, int waits) {
    for (int i = 0; i < count; ++i) {
        const long child = syscall(SYS_fork);
        must(child >= 0, "fork");
        if (child != 0) continue;
        if (waits) {
            const long sleeper = syscall(SYS_fork);
            if (sleeper < 0) shared->failed = 1;
            must(sleeper >= 0, "fork");
            if (sleeper == 0)
                for (;;) pause();
        }
        __atomic_fetch_add(&shared->ready, 1, __ATOMIC_SEQ_CST);
        if (waits) syscall(SYS_wait4, -1, NULL, 0, NULL);
        for (;;) pause();
    }
    while (shared->ready < count) {
        must(!shared->failed, "fork");
        usleep(1000);
    }
    usleep(300000); /* until they sleep */
}
static void pausing(int count) {
    crowd(count, 0);
}
static void waiting(int count) { /* half of them for the other half */
    crowd(count / 2, 1);
}
static void waiters(int count) { /* and their children */
    crowd(count, 1);
}
static void storm(int count) {
    for (int i = 0; i < count; ++i) {
        const long child = syscall(SYS_fork);
        must(child >= 0, "fork");
        if (child != 0) continue;
        for (;; ++shared->calls[i]) syscall(SYS_getpid);
    }
}
/* The same page again and again, so that the disk doesn't matter. */
static int target = -1;
static void to_a_file(int count) {
    (void)count;
    char name[] = "/var/tmp/ctr-load-XXXXXX";
    target = mkstemp(name);
    must(target >= 0 && unlink(name) == 0, name);
}
static void to_null(int count) {
    (void)count;
    target = open("/dev/null", O_WRONLY);
    must(target >= 0, "/dev/null");
}
static void call_write(void) {
    static char page[4096];
    must(syscall(SYS_pwrite64, target, page, sizeof page, 0) == (long)sizeof page, "pwrite");
}
static void in_etc(int count) {
    (void)count;
    must(chdir("/etc") == 0, "chdir");
}
static void (*then)(void);
static void* in_thread(void* unused) {
    (void)unused;
    then();
    return NULL;
}

static const struct load {
    const char* name;
    void (*call)(void);
    void (*beside)(int);
    int count;
    int thread; /* not the first one */
} loads[] = {
    {"read", call_read, NULL, 0, 0},
    {"getpid", call_getpid, NULL, 0, 0},
    {"getpid-thread", call_getpid, NULL, 0, 1},
    {"getppid", call_getppid, NULL, 0, 0},
    {"kill", call_kill, NULL, 0, 0},
    {"kill-group", call_kill_group, NULL, 0, 0},
    {"open", call_open, NULL, 0, 0},
    {"open-relative", call_open_relative, in_etc, 0, 0},
    {"open-proc", call_open_proc, NULL, 0, 0},
    {"stat", call_stat, NULL, 0, 0},
    {"sigaction", call_sigaction, NULL, 0, 0},
    {"message", call_message, NULL, 0, 0},
    {"messages", call_messages, NULL, 0, 0},
    {"write-file", call_write, to_a_file, 0, 0},
    {"write-null", call_write, to_null, 0, 0},
    {"fork", call_fork, NULL, 0, 0},
    {"vfork-exec", call_vfork, NULL, 0, 0},
    {"list-10-pause", call_list, pausing, 10, 0},
    {"list-100-pause", call_list, pausing, 100, 0},
    {"list-1000-pause", call_list, pausing, 1000, 0},
    {"list-10-wait", call_list, waiting, 10, 0},
    {"list-100-wait", call_list, waiting, 100, 0},
    {"list-1000-wait", call_list, waiting, 1000, 0},
    {"getpid-beside-1000-waits", call_getpid, waiters, 1000, 0},
    {"kill-beside-1000-waits", call_kill, waiters, 1000, 0},
    {"kill-group-beside-1000-waits", call_kill_group, waiters, 1000, 0},
    {"fork-beside-1000-waits", call_fork, waiters, 1000, 0},
    {"getpid-beside-8-storming", call_getpid, storm, storming, 0},
    {"fork-beside-8-storming", call_fork, storm, storming, 0},
};

/* Shared: a fork copies nothing of it. */
static uint64_t* samples;

static void* shared_memory(size_t size) {
    void* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    must(memory != MAP_FAILED, "mmap");
    return memory;
}

static void put(const void* from, size_t size) {
    for (const char* at = from; size > 0;) {
        const ssize_t put_now = write(STDOUT_FILENO, at, size);
        must(put_now > 0, "write");
        at += put_now;
        size -= (size_t)put_now;
    }
}

static uint64_t calls_beside(void) {
    uint64_t sum = 0;
    for (int i = 0; i < storming; ++i) sum += shared->calls[i];
    return sum;
}

static const struct load* chosen;
static uint64_t budget;

static void measure(void) {
    const uint64_t warm = now() + budget / 10;
    do chosen->call();
    while (now() < warm);
    size_t count = 0;
    const uint64_t beside = calls_beside();
    const uint64_t start = now();
    uint64_t before = start;
    while (count < most_samples && before - start < budget) {
        chosen->call();
        const uint64_t after = now();
        samples[count++] = after - before;
        before = after;
    }
    const uint64_t head[] = {count + calls_beside() - beside, before - start};
    put(head, sizeof head);
    put(samples, count * sizeof *samples);
}

static int run(int count, char** command) {
    const uint64_t start = now();
    for (int i = 0; i < count; ++i) {
        const uint64_t before = now();
        const pid_t child = fork();
        must(child >= 0, "fork");
        if (child == 0) {
            dup2(STDERR_FILENO, STDOUT_FILENO);
            execvp(command[0], command);
            perror(command[0]);
            _exit(127);
        }
        wait_for(child);
        samples[i] = now() - before;
    }
    const uint64_t head[] = {(uint64_t)count, now() - start};
    put(head, sizeof head);
    put(samples, (size_t)count * sizeof *samples);
    return 0;
}

int main(int argc, char** argv) {
    if (argc == 2 && strcmp(argv[1], "true") == 0) return 0;
    if (argc == 2 && strcmp(argv[1], "names") == 0) {
        for (size_t i = 0; i < sizeof loads / sizeof loads[0]; ++i) puts(loads[i].name);
        return 0;
    }
    /* Not as pid 1, which signals don't reach. */
    const pid_t child = fork();
    must(child >= 0, "fork");
    if (child != 0) {
        int status;
        must(waitpid(child, &status, 0) == child, "waitpid");
        return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    samples = shared_memory(most_samples * sizeof *samples);
    if (argc > 3 && strcmp(argv[1], "run") == 0) return run(atoi(argv[2]), argv + 3);
    for (size_t i = 0; argc == 3 && i < sizeof loads / sizeof loads[0]; ++i)
        if (strcmp(loads[i].name, argv[1]) == 0) chosen = &loads[i];
    if (!chosen) {
        fprintf(stderr, "load: NAME MILLISECONDS, or run COUNT COMMAND...; `load names` lists the names\n");
        return 2;
    }
    self = argv[0];
    budget = strtoull(argv[2], NULL, 10) * 1000000U;
    shared = shared_memory(sizeof *shared);
    if (chosen->beside) chosen->beside(chosen->count);
    must(setpgid(0, 0) == 0, "setpgid"); /* the group that is signalled is one's own */
    if (!chosen->thread) {
        measure();
        return 0;
    }
    pthread_t thread;
    then = measure;
    must(pthread_create(&thread, NULL, in_thread, NULL) == 0, "pthread_create");
    pthread_join(thread, NULL);
    return 0;
}
