/* Makes a namespace whose init has children, one of them the init of a namespace below, and kills that init
 * from outside. Proves that the processes of both namespaces end with it: the pipe that all of them hold open
 * comes to its end. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { members = 5 };

static void become_init(int out) {
    for (int i = 0; i < members; ++i) {
        const unsigned long flags = (i == 0 ? CLONE_NEWPID : 0) | SIGCHLD;
        const long child = syscall(SYS_clone, flags, NULL, NULL, NULL, 0UL);
        if (child < 0) _exit(1);
        if (child > 0) continue;
        setsid();
        if (write(out, "x", 1) != 1) _exit(1);
        for (;;) pause();
    }
    for (;;) pause();
}

int main(void) {
    const unsigned long flags = CLONE_NEWUSER | CLONE_NEWPID | SIGCHLD;
    int held[2], status = 0;
    char byte;
    if (pipe(held) != 0) return 2;
    const long init = syscall(SYS_clone, flags, NULL, NULL, NULL, 0UL);
    if (init == 0) become_init(held[1]);
    if (init < 0) {
        printf("nestkill: no namespace: %s\n", strerror(errno));
        return 1;
    }
    close(held[1]);
    for (int i = 0; i < members; ++i)
        if (read(held[0], &byte, 1) != 1) return 3;
    if (kill((pid_t)init, SIGKILL) != 0) return 4;
    if (waitpid((pid_t)init, &status, 0) != init || !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
        return 5;
    if (read(held[0], &byte, 1) != 0) return 6;
    printf("nestkill: all ended\n");
    return 0;
}
