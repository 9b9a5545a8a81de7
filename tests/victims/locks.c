/* Priority-inheriting and robust mutexes, in one process and in shared memory between processes whose owners
 * are killed; and 64 threads at once that make children. Lock words hold the kernel's thread numbers. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { crowd = 64, rounds = 15, largest = 1 << 22 };

struct shared {
    pthread_mutex_t mutex;
    long counter;
    atomic_int held;
};

static struct shared* make(int protocol, int robust) {
    pthread_mutexattr_t kind;
    struct shared* s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setprotocol(&kind, protocol);
    pthread_mutexattr_setrobust(&kind, robust);
    pthread_mutex_init(&s->mutex, &kind);
    return s;
}

static void* count_up(void* argument) {
    struct shared* const s = argument;
    for (int i = 0; i < 2000; ++i) {
        if (pthread_mutex_lock(&s->mutex) != 0) return (void*)1;
        ++s->counter;
        if (pthread_mutex_unlock(&s->mutex) != 0) return (void*)1;
    }
    return NULL;
}

static void contended(const char* name, int protocol, int robust) {
    struct shared* const s = make(protocol, robust);
    pthread_t thread[4];
    pid_t child[4];
    int failures = 0;
    for (int i = 0; i < 4; ++i) {
        child[i] = fork();
        if (child[i] == 0) _exit(count_up(s) != NULL);
    }
    for (int i = 0; i < 4; ++i) pthread_create(&thread[i], NULL, count_up, s);
    for (int i = 0; i < 4; ++i) {
        void* result = NULL;
        int status = 0;
        pthread_join(thread[i], &result);
        failures += result != NULL;
        failures += waitpid(child[i], &status, 0) != child[i] || status != 0;
    }
    printf("%s: %ld, %d failures\n", name, s->counter, failures);
}

static void owner_killed(const char* name, int protocol) {
    struct shared* const s = make(protocol, PTHREAD_MUTEX_ROBUST);
    for (int i = 0; i < 2; ++i) { /* killed while it holds the mutex, and while somebody waits for it */
        s->held = 0;
        const pid_t owner = fork();
        if (owner == 0) {
            pthread_mutex_lock(&s->mutex);
            s->held = 1;
            for (;;) pause();
        }
        while (!s->held) usleep(100);
        const pid_t killer = i == 0 ? 0 : fork();
        if (i == 1 && killer == 0) {
            usleep(20000);
            kill(owner, SIGKILL);
            _exit(0);
        }
        if (i == 0) {
            kill(owner, SIGKILL);
            waitpid(owner, NULL, 0);
        }
        const int result = pthread_mutex_lock(&s->mutex);
        printf("%s, owner killed: %s\n", name, strerrorname_np(result));
        if (result == EOWNERDEAD) pthread_mutex_consistent(&s->mutex);
        pthread_mutex_unlock(&s->mutex);
        while (wait(NULL) > 0) {
        }
    }
}

static atomic_int* seen;
static atomic_int failures;

static void* in_crowd(void* unused) {
    for (int i = 0; i < rounds; ++i) {
        int status = 0, number = 0, pipe_ends[2];
        if (pipe(pipe_ends) != 0) break;
        const pid_t self = getpid(), child = fork();
        if (child == 0) {
            number = getpid();
            _exit(write(pipe_ends[1], &number, sizeof number) == sizeof number && getppid() == self ? 0 : 1);
        }
        if (child <= 0 || atomic_fetch_add(&seen[child], 1) != 0) ++failures; /* nobody else has it now */
        if (read(pipe_ends[0], &number, sizeof number) != sizeof number || number != child) ++failures;
        atomic_fetch_sub(&seen[child], 1);
        if (waitpid(child, &status, 0) != child || status != 0) ++failures;
        close(pipe_ends[0]);
        close(pipe_ends[1]);
    }
    return unused;
}

int main(void) {
    pthread_t thread[crowd];
    setvbuf(stdout, NULL, _IONBF, 0);
    contended("plain", PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
    contended("robust", PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST);
    contended("inheriting", PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
    contended("inheriting and robust", PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_ROBUST);
    owner_killed("robust", PTHREAD_PRIO_NONE);
    owner_killed("inheriting and robust", PTHREAD_PRIO_INHERIT);
    seen = mmap(NULL, largest * sizeof(atomic_int), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (int i = 0; i < crowd; ++i) pthread_create(&thread[i], NULL, in_crowd, NULL);
    for (int i = 0; i < crowd; ++i) pthread_join(thread[i], NULL);
    printf("crowd: %d failures\n", failures);
    return 0;
}
