/* A fork storm that never ends by itself: `storm MARK [SECONDS]`. Workers fork all the time; some children
 * fork on, some become daemons in sessions of their own, some ignore every signal that can be ignored. The
 * mark in the arguments lets a test find survivors. The alarm is a safety net for the machine should a test
 * fail: nothing lives longer. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { workers = 6 };

static unsigned patience = 60;

static pid_t mortal_fork(void) {
    const pid_t child = fork();
    if (child == 0) alarm(patience); /* not inherited over fork */
    return child;
}

static void stubborn(void) {
    for (int signal_number = 1; signal_number < 32; ++signal_number)
        if (signal_number != SIGALRM && signal_number != SIGCHLD) signal(signal_number, SIG_IGN);
}

static void worker(unsigned round) {
    for (;; ++round) {
        const pid_t child = mortal_fork();
        if (child < 0) {
            usleep(1000);
            continue;
        }
        if (child == 0) {
            if (round % 4 == 0) stubborn();
            if (round % 3 == 0) setsid();
            const pid_t grandchild = mortal_fork();
            if (grandchild == 0) {
                usleep(20000);
                _exit(0);
            }
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
}

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    if (argc > 2) patience = (unsigned)atoi(argv[2]);
    alarm(patience);
    for (unsigned i = 0; i < workers; ++i)
        if (mortal_fork() == 0) worker(i);
    /* One daemon that only waits, far away from everybody. */
    if (mortal_fork() == 0) {
        setsid();
        if (mortal_fork() == 0) {
            stubborn();
            for (;;) pause();
        }
        _exit(0);
    }
    usleep(50000);
    printf("storm\n");
    fflush(stdout);
    for (;;)
        if (wait(NULL) < 0) pause();
}
