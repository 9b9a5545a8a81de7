/* Forks twice; the grandchild, orphaned, says who its parent is now. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int done[2];
    char byte;
    if (pipe(done) != 0) return 1;
    const pid_t middle = fork();
    if (middle == 0) {
        const pid_t self = getpid();
        if (fork() != 0) _exit(0);
        while (getppid() == self) usleep(500);
        printf("orphan of %d, now of %d\n", (int)self, (int)getppid());
        fflush(stdout);
        _exit(write(done[1], "x", 1) == 1 ? 0 : 1);
    }
    waitpid(middle, NULL, 0);
    close(done[1]);
    return read(done[0], &byte, 1) == 1 ? 0 : 1;
}
