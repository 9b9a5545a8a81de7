// A tracer that comes and goes at any moment, as strace -p with a Ctrl-C. What it traces makes children and
// waits for them, and must notice nothing. detach ROUNDS
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void handler(int signal) {
    (void)signal;
}

static void make_children(void) {
    // Without SA_RESTART: the layer holds such a program.
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGINT, &action, NULL);
    for (;;) {
        const pid_t child = fork();
        if (child == 0) _exit(7);
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 7 << 8) err(1, "child %d", child);
    }
}

static void nap(void) {
    const struct timespec time = {.tv_nsec = rand() % 2000000};
    nanosleep(&time, NULL);
}

// As strace does: first as it stands, else it is made to stop.
static void let_go(pid_t tracee) {
    if (ptrace(PTRACE_DETACH, tracee, 0, 0) == 0) return;
    if (errno != ESRCH) err(1, "PTRACE_DETACH");
    ptrace(PTRACE_INTERRUPT, tracee, 0, 0);
    int status = 0;
    if (waitpid(tracee, &status, __WALL) != tracee) err(1, "waitpid");
    if (!WIFSTOPPED(status)) errx(1, "it ended: %x", status);
    if (ptrace(PTRACE_DETACH, tracee, 0, 0) != 0) err(1, "PTRACE_DETACH");
}

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 100;
    const pid_t tracee = fork();
    if (tracee == 0) make_children();
    for (int round = 0; round < rounds; ++round) {
        nap();
        if (ptrace(PTRACE_SEIZE, tracee, 0, PTRACE_O_TRACESYSGOOD) != 0) err(1, "PTRACE_SEIZE");
        ptrace(PTRACE_INTERRUPT, tracee, 0, 0);
        for (int stops = rand() % 10; stops >= 0; --stops) {
            int status = 0;
            if (waitpid(tracee, &status, __WALL) != tracee) err(1, "waitpid");
            if (!WIFSTOPPED(status)) errx(1, "it ended: %x", status);
            const int signal = WSTOPSIG(status);
            ptrace(PTRACE_SYSCALL, tracee, 0, signal == SIGCHLD ? SIGCHLD : 0);
        }
        if (rand() % 2) nap();
        let_go(tracee);
    }
    if (waitpid(tracee, NULL, WNOHANG) != 0) errx(1, "the tracee ended");
    kill(tracee, SIGKILL);
    if (waitpid(tracee, NULL, 0) != tracee) err(1, "waitpid");
    printf("detach: finished\n");
    return 0;
}
