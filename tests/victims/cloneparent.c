/* Run as process 1: it has no parent inside, so a sibling of its own is refused; that of another process
 * becomes a child of process 1. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long clone_sibling(void) {
    return syscall(SYS_clone, (unsigned long)(CLONE_PARENT | SIGCHLD), NULL, NULL, NULL, 0UL);
}

int main(void) {
    int middle_status = 0, sibling_status = 0;
    const long refused = clone_sibling();
    if (refused == 0) _exit(0);
    printf("cloneparent: by process %d: %s\n", getpid(), refused < 0 ? strerror(errno) : "succeeded");
    fflush(stdout);

    const pid_t middle = fork();
    if (middle == 0) {
        const long sibling = clone_sibling();
        if (sibling == 0) _exit(getppid() == 1 ? 7 : 8);
        _exit(sibling > 0 && waitpid((pid_t)sibling, NULL, 0) < 0 && errno == ECHILD ? 9 : 10);
    }
    const pid_t waited = waitpid(middle, &middle_status, 0);
    const pid_t sibling = wait(&sibling_status);
    printf("cloneparent: by its child: %s\n",
           waited == middle && middle_status == 9 << 8 && sibling > 0 && sibling_status == 7 << 8 ? "right"
                                                                                                  : "wrong");
    return 0;
}
