/* A program to be installed set-user-id: says what the kernel and the C library make of that, then asks who
 * it is in all ways, makes a child and signals it. Prints the same wherever numbers are right. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int number_in_stat(void) {
    char text[32] = {0};
    FILE* file = fopen("/proc/self/stat", "r");
    if (!file || !fgets(text, sizeof text, file)) return -1;
    fclose(file);
    return atoi(text);
}

int main(void) {
    printf("secure %lu, user %u acts as %u, library path %s, dumpable %d\n", getauxval(AT_SECURE), getuid(),
           geteuid(), getenv("LD_LIBRARY_PATH") ? "kept" : "dropped", prctl(PR_GET_DUMPABLE));
    printf("%d of %d, in stat %d, group %d\n", getpid(), getppid(), number_in_stat(), getpgrp());
    fflush(stdout);
    int said[2];
    if (pipe(said) != 0) return 1;
    const pid_t child = fork();
    if (child == 0) {
        printf("child %d of %d, in stat %d\n", getpid(), getppid(), number_in_stat());
        fflush(stdout);
        close(said[0]);
        close(said[1]);
        for (;;) pause();
    }
    close(said[1]);
    char byte;
    if (read(said[0], &byte, 1) != 0) return 1; /* nothing is written: the end is the word */
    int status = 0;
    printf("kill %d\n", kill(child, SIGTERM));
    const pid_t ended = waitpid(child, &status, 0);
    printf("%d ended by %d\n", ended == child ? ended : -1, WTERMSIG(status));
    return 0;
}
