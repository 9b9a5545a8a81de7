/* Confines itself as OpenSSH does with the process that talks to a stranger (sandbox-seccomp-filter.c and
 * privsep_preauth() of 9.2): another user, an empty root, no descriptors, files or processes to be had, and a
 * filter that kills for every call that isn't on a list. `preauth WHEN`: early (its first question of all is
 * asked in there) or late. What the list allows must work. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ALLOW(call) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define DENY(call)                                         \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES)

static const struct sock_filter list[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    DENY(lstat),
    DENY(fstat),
    DENY(newfstatat),
    DENY(open),
    DENY(openat),
    DENY(stat),
    DENY(statx),
    DENY(shmget),
    ALLOW(brk),
    ALLOW(clock_gettime),
    ALLOW(clock_nanosleep),
    ALLOW(nanosleep),
    ALLOW(close),
    ALLOW(exit),
    ALLOW(exit_group),
    ALLOW(futex),
    ALLOW(geteuid),
    ALLOW(getpgid),
    ALLOW(getpid),
    ALLOW(getrandom),
    ALLOW(gettid),
    ALLOW(gettimeofday),
    ALLOW(getuid),
    ALLOW(madvise),
    ALLOW(mmap),
    ALLOW(mremap),
    ALLOW(munmap),
    ALLOW(poll),
    ALLOW(ppoll),
    ALLOW(read),
    ALLOW(rt_sigprocmask),
    ALLOW(pselect6),
    ALLOW(select),
    ALLOW(shutdown),
    ALLOW(time),
    ALLOW(write),
    ALLOW(writev),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
};

static void must(int done, const char* what) {
    if (done) return;
    printf("%s: %s\n", what, strerror(errno));
    exit(3);
}

static void confine(void) {
    char root[] = "/tmp/preauth-XXXXXX";
    const struct rlimit none = {0, 0};
    const struct sock_fprog filter = {sizeof list / sizeof *list, (struct sock_filter*)list};
    must(mkdtemp(root) && chroot(root) == 0 && chdir("/") == 0, "chroot");
    must(
        setgroups(0, NULL) == 0 && setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0,
        "change of user");
    for (const int* limit = (const int[]){RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_NPROC, -1}; *limit >= 0;
         ++limit)
        must(setrlimit((__rlimit_resource_t)*limit, &none) == 0, "limit");
    must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no_new_privs");
    must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0, "filter");
}

int main(int argc, char** argv) {
    const int late = argc > 1 && strcmp(argv[1], "late") == 0;
    int pair[2], status = 0;
    must(pipe(pair) == 0, "pipe");
    const pid_t child = fork();
    if (child == 0) {
        if (late && getpid() <= 0) return 2;
        close(pair[0]);
        confine();
        const pid_t numbers[] = {getpid(), getpgid(0)};
        const int refused = open("/etc/passwd", O_RDONLY) < 0 ? errno : 0;
        struct timespec now;
        if (refused != EACCES || clock_gettime(CLOCK_MONOTONIC, &now) != 0) _exit(4);
        _exit(write(pair[1], numbers, sizeof numbers) == sizeof numbers ? 0 : 5);
    }
    close(pair[1]);
    pid_t numbers[2] = {0, 0};
    const ssize_t got = read(pair[0], numbers, sizeof numbers);
    const pid_t ended = waitpid(child, &status, 0);
    printf("preauth: %s\n", got == sizeof numbers && ended == child && status == 0 && numbers[0] == child &&
                                    numbers[1] == getpgrp()
                                ? "right"
                                : "wrong");
    if (status != 0) printf("status %#x\n", (unsigned)status);
    return 0;
}
