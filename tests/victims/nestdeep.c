/* Nests namespaces of process numbers until one is refused, and says how many there were and why it ended.
 * Only the first comes with a user namespace, which gives the right to make the others; these have a limit
 * of depth of their own, with the same error. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { enough = 100 };

/* Returns in the innermost process and, with the child's result, in each of its ancestors. */
static int nest(int level) {
    const unsigned long flags = CLONE_NEWPID | (level == 0 ? CLONE_NEWUSER : 0) | SIGCHLD;
    int status = 0;
    if (level == enough) return 1;
    const long child = syscall(SYS_clone, flags, NULL, NULL, NULL, 0UL);
    if (child == 0) _exit(getpid() == 1 ? nest(level + 1) : 3);
    if (child < 0) {
        printf("nestdeep: %d levels, then %s\n", level, strerror(errno));
        fflush(stdout);
        return 0;
    }
    if (waitpid((pid_t)child, &status, 0) != child || !WIFEXITED(status)) return 4;
    return WEXITSTATUS(status);
}

int main(void) {
    return nest(0);
}
