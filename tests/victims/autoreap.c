/* Ignores SIGCHLD: children vanish without being waited for, and their numbers with them. `autoreap [N]`. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
    const int count = argc > 1 ? atoi(argv[1]) : 200;
    pid_t last = 0;
    signal(SIGCHLD, SIG_IGN);
    for (int i = 0; i < count; ++i) {
        last = fork();
        if (last < 0) return 1;
        if (last == 0) _exit(0);
    }
    while (wait(NULL) > 0) return 2;
    if (errno != ECHILD) return 3;
    if (kill(last, 0) == 0 || errno != ESRCH) return 4;
    printf("autoreap: %d children came and went\n", count);
    return 0;
}
