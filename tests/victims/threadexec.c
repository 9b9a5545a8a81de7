/* A thread that doesn't lead executes another program: it takes over the leader's number. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void* execute(void* number) {
    execl("/proc/self/exe", "threadexec", (char*)number, (char*)NULL);
    _exit(1);
}

int main(int argc, char** argv) {
    char number[16];
    const int rounds = argc > 1 ? atoi(argv[1]) : 0; /* PID * 100 + round */
    const int round = rounds % 100;
    if (argc > 1 && rounds / 100 != getpid()) {
        printf("threadexec: process %d became %d\n", rounds / 100, getpid());
        return 1;
    }
    if (syscall(SYS_gettid) != getpid()) {
        printf("threadexec: process %d is led by thread %ld\n", getpid(), syscall(SYS_gettid));
        return 1;
    }
    if (round == 20) {
        printf("threadexec: process %d\n", getpid());
        return 0;
    }
    snprintf(number, sizeof number, "%d", getpid() * 100 + round + 1);
    pthread_t thread;
    if (pthread_create(&thread, NULL, execute, number) != 0) return 2;
    for (;;) pause();
}
