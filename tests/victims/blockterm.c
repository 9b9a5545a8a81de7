/* Run as process 1, which has no handler for SIGTERM and blocks it. As the kernel's own init it may be sent
 * the signal, may wait for it, and survives it. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int signal_from_child(void) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) _exit(kill(1, SIGTERM) == 0 ? 0 : 1);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static int is_pending(void) {
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, SIGTERM) == 1;
}

int main(void) {
    const struct timespec patience = {10, 0};
    sigset_t term;
    int received = 0;
    if (getpid() != 1) return 2;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, NULL);

    if (kill(getpid(), SIGTERM) != 0 || !is_pending()) return 3;
    if (sigwait(&term, &received) != 0 || received != SIGTERM) return 4;
    if (!signal_from_child() || !is_pending()) return 5;
    if (sigtimedwait(&term, NULL, &patience) != SIGTERM) return 6;
    printf("blockterm: received\n");
    fflush(stdout);

    if (kill(getpid(), SIGTERM) != 0 || !is_pending()) return 7;
    sigprocmask(SIG_UNBLOCK, &term, NULL);
    if (!signal_from_child()) return 8;
    printf("blockterm: alive\n");
    return 0;
}
