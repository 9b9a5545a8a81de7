/* A parent and its child, and what each knows of the other. Built with every C library; family.go does the
 * same. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int status = 0;
    printf("parent %d\n", (int)getpid());
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) {
        printf("child %d of %d\n", (int)getpid(), (int)getppid());
        fflush(stdout);
        _exit(7);
    }
    const pid_t ended = waitpid(child, &status, 0);
    printf("created %d, ended %d with %d\n", (int)child, (int)ended,
           WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return 0;
}
