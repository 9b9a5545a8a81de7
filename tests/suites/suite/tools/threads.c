// A process with threads that know their numbers, and that make processes.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { count = 4 };
static pthread_barrier_t met;

static void* thread(void* unused) {
    (void)unused;
    int good = 0;
    for (int i = 0; i < 10; ++i) {
        const pid_t child = fork();
        if (child == 0) _exit(i);
        int status = 0;
        good += waitpid(child, &status, 0) == child && WEXITSTATUS(status) == i;
    }
    pthread_barrier_wait(&met);
    return good == 10 ? NULL : &met;
}

int main(int words, char** word) {
    if (words > 1) sleep((unsigned)atoi(word[1]));
    pthread_t threads[count];
    pthread_barrier_init(&met, NULL, count);
    for (int i = 0; i < count; ++i) pthread_create(&threads[i], NULL, thread, NULL);
    int good = 0;
    for (int i = 0; i < count; ++i) {
        void* result;
        pthread_join(threads[i], &result);
        good += result == NULL;
    }
    printf("threads that agree with their children: %d\n", good);
    return 0;
}
