/* fork, vfork, clone and clone3 without the C library in between, as a runtime of its own would do it. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long raw_fork(void) {
    return syscall(SYS_fork);
}
static long raw_clone(void) {
    return syscall(SYS_clone, (unsigned long)SIGCHLD, NULL, NULL, NULL, 0UL);
}

static long raw_clone3(void) {
    uint64_t arguments[8] = {0};
    arguments[4] = SIGCHLD; /* exit_signal */
    return syscall(SYS_clone3, arguments, sizeof arguments);
}

/* The child of a real vfork may not return from the function that called it, so it ends right here. */
static long raw_vfork(void) {
    long child;
    __asm__ volatile(
        "syscall\n\t"
        "test %%eax, %%eax\n\t"
        "jnz 1f\n\t"
        "mov %2, %%eax\n\t"
        "mov $7, %%edi\n\t"
        "syscall\n"
        "1:"
        : "=a"(child)
        : "0"((long)SYS_vfork), "i"(SYS_exit_group)
        : "rcx", "r11", "rdi", "memory");
    return child;
}

int main(void) {
    static const struct {
        const char* name;
        long (*create)(void);
    } kinds[] = {{"fork", raw_fork}, {"vfork", raw_vfork}, {"clone", raw_clone}, {"clone3", raw_clone3}};
    int failures = 0;
    for (int round = 0; round < 25; ++round) {
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
            int told[2], status = 0;
            pid_t seen[2] = {0, 0};
            if (pipe(told) != 0) return 2;
            const long child = kinds[i].create();
            if (child == 0) {
                seen[0] = (pid_t)syscall(SYS_getpid);
                seen[1] = (pid_t)syscall(SYS_getppid);
                _exit(write(told[1], seen, sizeof seen) == (ssize_t)sizeof seen ? 7 : 8);
            }
            const int silent = kinds[i].create == raw_vfork;
            const long ended = syscall(SYS_wait4, child, &status, 0, NULL);
            if (!silent && read(told[0], seen, sizeof seen) != (ssize_t)sizeof seen) ++failures;
            const int right = child > 0 && ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 7 &&
                              (silent || (seen[0] == child && seen[1] == getpid()));
            if (!right) {
                printf("%s: created %ld, ended %ld with %#x, child saw %d of %d\n", kinds[i].name, child,
                       ended, (unsigned)status, seen[0], seen[1]);
                ++failures;
            }
            close(told[0]);
            close(told[1]);
        }
    }
    printf("rawcalls: %d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
