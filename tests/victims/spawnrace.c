/* `spawnrace COUNT`: threads that execute programs, half by posix_spawn and half by vfork. Each program says
 * at once who it is, maybe before its creator knows. Proves that both agree, COUNT times, and what the parent
 * is. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;
enum { threads = 4 };
static atomic_int failures, left;
static pid_t self;

static int tell(int fd) {
    const pid_t view[3] = {getpid(), getppid(), getsid(0)};
    return write(fd, view, sizeof view) == sizeof view ? 0 : 1;
}

static void once(int by_vfork) {
    int ends[2], status = 0;
    pid_t child = -1, view[3] = {0};
    char name[] = "spawnrace", fd[16];
    if (pipe2(ends, O_CLOEXEC) != 0) exit(3);
    const int out = dup(ends[1]); /* survives execution; its value must differ between threads */
    snprintf(fd, sizeof fd, "-%d", out);
    char* const argv[] = {name, fd, NULL};
    if (by_vfork) {
        child = vfork();
        if (child == 0) {
            execv("/proc/self/exe", argv);
            _exit(9);
        }
    } else if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, argv, environ) != 0) {
        child = -1;
    }
    close(out);
    close(ends[1]);
    const ssize_t size = read(ends[0], view, sizeof view);
    const pid_t ended = waitpid(child, &status, 0);
    close(ends[0]);
    if (child > 0 && size == sizeof view && ended == child && status == 0 && view[0] == child &&
        view[1] == self && view[2] == getsid(0))
        return;
    if (++failures < 10)
        printf("spawnrace: %s: made %d, ended %d with %#x, says %d of %d in %d\n",
               by_vfork ? "vfork" : "posix_spawn", child, ended, (unsigned)status, view[0], view[1], view[2]);
}

static void* work(void* unused) {
    for (int i; (i = atomic_fetch_sub(&left, 1)) > 0;) once(i % 2);
    return unused;
}

int main(int argc, char** argv) {
    pthread_t thread[threads];
    if (argc != 2) return 2;
    if (argv[1][0] == '-') return tell(atoi(argv[1] + 1));
    self = getpid();
    left = atoi(argv[1]);
    for (int i = 0; i < threads; ++i) pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < threads; ++i) pthread_join(thread[i], NULL);
    printf("spawnrace: %d failures\n", failures);
    return failures != 0;
}
