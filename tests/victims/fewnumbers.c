/* Run as process 1 with few numbers. `fewnumbers MAX`: all numbers are below MAX. Proves that numbers go on
 * after the highest, that want of numbers is EAGAIN, and that numbers which are given back can be had again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The numbers of children that come and go one by one. */
static int use_up(int count, int max) {
    for (int i = 0; i < count; ++i) {
        const pid_t child = fork();
        if (child == 0) _exit(0);
        if (child <= 1 || child >= max || waitpid(child, NULL, 0) != child) {
            printf("fewnumbers: child %d of %d: %d, %s\n", i, count, child, strerror(errno));
            return 0;
        }
    }
    return 1;
}

/* Children that stay until the pipe ends; returns how many there could be. */
static int fill(int max) {
    int alive[2], count = 0;
    char byte;
    if (pipe(alive) != 0) return -1;
    for (;; ++count) {
        const pid_t child = fork();
        if (child == 0) {
            close(alive[1]);
            _exit(read(alive[0], &byte, 1) == 0 ? 0 : 1);
        }
        if (child < 0) break;
        if (child >= max) return -1;
    }
    if (errno != EAGAIN) return -1;
    close(alive[0]);
    close(alive[1]);
    for (int i = 0; i < count; ++i)
        if (wait(NULL) < 0) return -1;
    return count;
}

int main(int argc, char** argv) {
    const int max = argc > 1 ? atoi(argv[1]) : 0;
    const int first = fill(max);
    if (!use_up(3 * max, max)) return 1;
    const int second = fill(max);
    if (!use_up(1, max)) return 1;
    printf("fewnumbers: %d children at once, later %d\n", first, second);
    return 0;
}
