/* A child forks and waits without end; its parent stops and continues it 500 times, and waits for each
 * change. Stopping hits the child in the middle of calls that are being made for it. Proves that no stop and
 * no continuation is lost, invented or changed. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { rounds = 500 };

static void keep_forking(void) {
    for (;;) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0) _exit(7);
        if (child < 0 || waitpid(child, &status, 0) != child || status != 7 << 8) _exit(1);
    }
}

int main(void) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) keep_forking();
    for (int round = 0; round < rounds; ++round) {
        if (kill(child, SIGSTOP) != 0) return 2;
        const pid_t stopped = waitpid(child, &status, WUNTRACED | WCONTINUED);
        if (stopped != child || !WIFSTOPPED(status) || WSTOPSIG(status) != SIGSTOP) {
            printf("stopcont: round %d: %d with %#x, not stopped\n", round, stopped, (unsigned)status);
            return 1;
        }
        if (kill(child, SIGCONT) != 0) return 2;
        const pid_t continued = waitpid(child, &status, WUNTRACED | WCONTINUED);
        if (continued != child || !WIFCONTINUED(status)) {
            printf("stopcont: round %d: %d with %#x, not continued\n", round, continued, (unsigned)status);
            return 1;
        }
    }
    kill(child, SIGKILL);
    if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) return 3;
    printf("stopcont: %d rounds\n", rounds);
    return 0;
}
