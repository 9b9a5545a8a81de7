/* A thread that doesn't lead makes a clone that fails, and executes this program anew. A layer that waits for
 * the child of that clone must not go on waiting in the name of a thread which has become the leader. Proves
 * that the new program can fork. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { rounds = 20 };

static void* fail_and_execute(void* round) {
    /* CLONE_SIGHAND without CLONE_VM */
    const long child = syscall(SYS_clone, (unsigned long)(CLONE_SIGHAND | SIGCHLD), NULL, NULL, NULL, 0UL);
    if (child != -1 || errno != EINVAL) _exit(4);
    execl("/proc/self/exe", "failexec", (char*)round, (char*)NULL);
    _exit(3);
}

int main(int argc, char** argv) {
    char next[16];
    int status = 0;
    const int round = argc > 1 ? atoi(argv[1]) : 0;
    const pid_t child = fork();
    if (child == 0) _exit(7);
    const pid_t ended = waitpid(child, &status, 0);
    if (child < 0 || ended != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7) {
        printf("failexec: round %d: created %d, ended %d with %#x\n", round, child, ended, (unsigned)status);
        return 1;
    }
    if (round == rounds) {
        printf("failexec: process %d\n", getpid());
        return 0;
    }
    pthread_t thread;
    snprintf(next, sizeof next, "%d", round + 1);
    if (pthread_create(&thread, NULL, fail_and_execute, next) != 0) return 2;
    for (;;) pause();
}
