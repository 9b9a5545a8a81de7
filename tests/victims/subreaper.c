/* A subreaper that makes children while it takes in those of creators that were killed. `subreaper ROUNDS`.
 * Proves that an orphan never gets what was meant for a child of the subreaper: fork says the number that the
 * child sees of itself. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int finished;
/* Makes the subreaper's forks slow, so that one is nearly always under way. */
static void* ballast;
enum { ballast_size = 64 << 20 };

static void* make_children(void* wrong) {
    int told[2];
    if (pipe(told) != 0) exit(2);
    while (!finished) {
        pid_t number = 0;
        const pid_t child = fork();
        if (child == 0) {
            number = getpid();
            _exit(write(told[1], &number, sizeof number) == sizeof number ? 0 : 1);
        }
        if (read(told[0], &number, sizeof number) != sizeof number || number != child) ++*(int*)wrong;
        if (waitpid(child, NULL, 0) != child) ++*(int*)wrong;
    }
    return NULL;
}

static void multiply(void) {
    munmap(ballast, ballast_size);
    for (;;) {
        const pid_t child = fork();
        if (child == 0) _exit(getpid() > 0 ? 0 : 1);
        waitpid(child, NULL, 0);
    }
}

static int reap(int rounds) {
    pthread_t maker;
    int wrong = 0;
    ballast = mmap(NULL, ballast_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ballast == MAP_FAILED || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) exit(3);
    madvise(ballast, ballast_size, MADV_NOHUGEPAGE);
    memset(ballast, 1, ballast_size);
    pthread_create(&maker, NULL, make_children, &wrong);
    srand(1);
    for (int i = 0; i < rounds; ++i) {
        const pid_t creator = fork();
        if (creator == 0) multiply();
        usleep((useconds_t)(rand() % 2000));
        kill(creator, SIGKILL);
        if (waitpid(creator, NULL, 0) != creator) ++wrong;
    }
    finished = 1;
    pthread_join(maker, NULL);
    while (wait(NULL) > 0) {
    }
    return wrong;
}

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 0;
    const pid_t subreaper = fork(); /* not process 1 of the container */
    if (subreaper == 0) {
        printf("subreaper: %d wrong\n", reap(rounds));
        return 0;
    }
    waitpid(subreaper, NULL, 0);
    return 0;
}
