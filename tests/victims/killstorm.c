/* Kills processes at random while they make children and wait for them. `killstorm SECONDS_TENTHS [nested]`:
 * process 1 of a container with few numbers (--pid-max 512) keeps a crowd of them going. Proves that nothing
 * leaks: afterwards as many children can be had at once as before. nested: each is the init of a namespace,
 * and nobody in it outlives it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { crowd = 6 };

static void storm(void) {
    for (;;) {
        const pid_t child = fork();
        if (child == 0) {
            const pid_t grandchild = fork();
            if (grandchild == 0) _exit(getpid() > 0 && getppid() >= 0 ? 0 : 1);
            waitpid(grandchild, NULL, 0);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
}

static pid_t start(int is_init) {
    const unsigned long flags = SIGCHLD | (is_init ? CLONE_NEWPID | CLONE_NEWUSER : 0);
    const pid_t child = is_init ? (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, 0UL) : fork();
    if (child == 0) {
        if (is_init && fork() == 0) {
            setsid();
            storm();
        }
        storm();
    }
    return child;
}

static int most(void) {
    int count = 0, ends[2];
    char byte;
    if (pipe(ends) != 0) return -1;
    for (; count < 1000; ++count) {
        const pid_t child = fork();
        if (child == 0) {
            close(ends[1]);
            _exit(read(ends[0], &byte, 1) == 0 ? 0 : 1);
        }
        if (child < 0) break;
    }
    close(ends[0]);
    close(ends[1]);
    while (wait(NULL) > 0) {
    }
    return count;
}

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 0, nested = argc > 2;
    pid_t member[crowd];
    int held[2];
    char byte;
    most(); /* the first time numbers below 300 are among them */
    const int before = most();
    if (pipe2(held, O_CLOEXEC) != 0) return 2;
    for (int i = 0; i < crowd; ++i) member[i] = start(nested);
    srand(1);
    for (int i = 0; i < rounds; ++i) {
        const int victim = rand() % crowd;
        usleep((useconds_t)(rand() % 3000));
        if (member[victim] <= 0 || kill(member[victim], SIGKILL) != 0)
            printf("killstorm: kill: %s\n", strerror(errno));
        /* Others are orphans of the killed ones. */
        if (waitpid(member[victim], NULL, 0) != member[victim])
            printf("killstorm: wait: %s\n", strerror(errno));
        while (waitpid(-1, NULL, WNOHANG) > 0) {
        }
        while ((member[victim] = start(nested)) < 0 && errno == EAGAIN) usleep(1000);
    }
    for (int i = 0; i < crowd; ++i) kill(member[i], SIGKILL);
    while (wait(NULL) > 0) {
    }
    close(held[1]);
    if (read(held[0], &byte, 1) != 0) puts("killstorm: somebody is left");
    const int after = most();
    printf("killstorm: %s\n", after == before ? "nothing leaks" : "numbers are lost");
    if (after != before) printf("killstorm: %d before, %d after\n", before, after);
    return 0;
}
