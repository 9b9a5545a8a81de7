/* Kills the inits of namespaces while all in there make children that only sleep, and so never ask who they
 * are. `nestescape ROUNDS`. Proves that nobody outlives an init: when it has been waited for, no other
 * process holds its namespace's pipe open. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { members = 3, children = 40, patience_ms = 10000 };

/* As long as there is room for more: somebody is always just being born. */
static void multiply(void) {
    for (int i = 0; i < children; ++i)
        if (fork() == 0)
            for (;;) pause();
    for (;;) {
        const pid_t child = fork();
        if (child == 0) _exit(0);
        waitpid(child, NULL, 0);
    }
}

static void become_init(int started) {
    for (int i = 0; i < members; ++i)
        if (fork() == 0) {
            if (i == 0) setsid();
            multiply();
        }
    if (write(started, "x", 1) != 1) _exit(1);
    close(started);
    multiply();
}

static int round_trip(unsigned delay) {
    int started[2], held[2];
    char byte;
    if (pipe(started) != 0 || pipe(held) != 0) return -1;
    const long init = syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, 0UL);
    if (init == 0) become_init(started[1]);
    close(started[1]);
    close(held[1]);
    if (init < 0 || read(started[0], &byte, 1) != 1) return -1;
    usleep(delay);
    kill((pid_t)init, SIGKILL);
    const int waited = waitpid((pid_t)init, NULL, 0) == init;
    struct pollfd end = {held[0], POLLIN, 0};
    const int ended = poll(&end, 1, patience_ms) == 1;
    close(started[0]);
    close(held[0]);
    return waited ? !ended : -1;
}

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 0;
    int away = 0;
    srand(1);
    for (int i = 0; i < rounds && away == 0; ++i) {
        const int result = round_trip((unsigned)(rand() % 4000));
        if (result < 0) {
            printf("nestescape: %s\n", strerror(errno));
            return 1;
        }
        away += result;
    }
    printf("nestescape: %d got away\n", away);
    return 0;
}
