/* Cancels threads at all moments around a call that sleeps, and looks at the stack on which they clean up.
   None may be left sleeping. */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

enum { rounds = 2000, longest_spin = 10000 };

static int pipe_ends[2];
static int cleaned_up, misaligned;
static volatile int running;

static __attribute__((noinline)) void clean_up(void* unused) {
    ++cleaned_up;
    if ((uintptr_t)__builtin_frame_address(0) % 16 != 0) ++misaligned;
    (void)unused;
}

static void* sleep_in_read(void* unused) {
    char byte;
    pthread_cleanup_push(clean_up, NULL);
    running = 1;
    while (read(pipe_ends[0], &byte, 1) != 1) continue;
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    int cancelled = 0;
    if (pipe(pipe_ends) != 0) return 1;
    for (int round = 0; round < rounds; ++round) {
        pthread_t thread;
        running = 0;
        if (pthread_create(&thread, NULL, sleep_in_read, NULL) != 0) return 1;
        while (!running) sched_yield();
        for (volatile int spin = round * 7919 % longest_spin; spin > 0; --spin) continue;
        pthread_cancel(thread);
        void* result = NULL;
        pthread_join(thread, &result);
        cancelled += result == PTHREAD_CANCELED;
    }
    printf("all cancelled: %d, cleaned up: %d, misaligned: %d\n", cancelled == rounds, cleaned_up == rounds,
           misaligned);
    return 0;
}
