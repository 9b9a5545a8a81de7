/* Unwinds through system calls that sleep: cancellation cleans up in every frame, a signal handler's
   backtrace sees who called. Prints what it saw. */
#include <execinfo.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int pipe_ends[2];
static sem_t ready;

static void clean_up(const char** name) {
    printf("%s cleans up\n", *name);
}
#define WITNESS(text) __attribute__((cleanup(clean_up))) const char* witness = text

/* Not inlined nor tail-called, so that each is a frame. */
static __attribute__((noinline)) void sleep_in_read(void) {
    WITNESS("read");
    char byte;
    if (read(pipe_ends[0], &byte, 1) != 1) puts("not reached");
}

static __attribute__((noinline)) void sleep_in_wait(void) {
    WITNESS("waitpid");
    waitpid(-1, NULL, 0);
    puts("not reached");
}

static void (*sleeper)(void);

static void* run(void* unused) {
    WITNESS("thread");
    sem_post(&ready);
    sleeper();
    return unused;
}

static int sleeps(pid_t process) {
    char path[64], text[512] = {0};
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    FILE* file = fopen(path, "r");
    if (file == NULL) return 0;
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    const char* end = size == 0 ? NULL : strrchr(text, ')');
    return end != NULL && end[2] == 'S';
}

static void cancel(void (*in)(void)) {
    pthread_t thread;
    sleeper = in;
    pthread_create(&thread, NULL, run, NULL);
    sem_wait(&ready);
    usleep(20000); /* most likely it sleeps by then; what comes earlier must work too */
    pthread_cancel(thread);
    void* result = NULL;
    pthread_join(thread, &result);
    printf("cancelled: %d\n", result == PTHREAD_CANCELED);
}

/* Names need symbols, which only -rdynamic exports; addresses don't. */
static int within(const void* address, const void* function) {
    return (const char*)address >= (const char*)function &&
           (const char*)address < (const char*)function + 256;
}

void known_caller(void);
static int frames_found;

static void handle(int signal) {
    void* frames[64];
    const int count = backtrace(frames, 64);
    for (int i = 0; i < count; ++i)
        if (within(frames[i], (const void*)known_caller)) ++frames_found;
    (void)signal;
}

__attribute__((noinline)) void known_caller(void) {
    char byte;
    const ssize_t result = read(pipe_ends[0], &byte, 1);
    printf("read: %zd, frames found: %d\n", result, frames_found);
}

static void interrupt(void) {
    void* warm[1];
    backtrace(warm, 1); /* loads the unwinder, which a handler had better not */
    struct sigaction action = {.sa_handler = handle};
    sigaction(SIGUSR1, &action, NULL);
    const pid_t self = getpid();
    if (fork() == 0) {
        while (!sleeps(self)) usleep(1000);
        kill(self, SIGUSR1);
        _exit(0);
    }
    known_caller();
    wait(NULL);
}

int main(void) {
    setbuf(stdout, NULL);
    if (pipe(pipe_ends) != 0) return 1;
    sem_init(&ready, 0, 0);
    const pid_t idle = fork();
    if (idle == 0) {
        pause();
        _exit(0);
    }
    cancel(sleep_in_read);
    cancel(sleep_in_wait);
    kill(idle, SIGKILL);
    waitpid(idle, NULL, 0);
    interrupt();
    return 0;
}
