/* Forks under a timer of 5 kHz whose handler lacks SA_RESTART. fork can't fail with EINTR; a layer that makes
 * it wait for somebody must not let that be seen. `sigfork succeeding|failing|threads`:
 *   succeeding  every fork succeeds and every wait finds its child; a wait may be interrupted, a fork not
 *   failing     every fork fails for want of RLIMIT_NPROC: with EAGAIN and nothing else
 *   threads     four threads at once, with bare system calls */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { forks = 500, least_ticks = 100, threads = 4, nobody = 54321 };

static volatile sig_atomic_t ticks;

static void on_tick(int number) {
    (void)number;
    ++ticks;
}

static void start_timer(void) {
    const struct sigaction action = {.sa_handler = on_tick};
    const struct itimerval period = {{0, 200}, {0, 200}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &period, NULL);
}

static long raw_fork(void) {
    return syscall(SYS_clone, (unsigned long)SIGCHLD, NULL, NULL, NULL, 0UL);
}

static long library_fork(void) {
    return fork();
}

/* Returns what went wrong, or 0. */
static long fork_and_wait(long (*create)(void)) {
    int status = 0;
    long ended;
    const long child = create();
    if (child == 0) syscall(SYS_exit_group, 7);
    if (child < 0) {
        printf("sigfork: fork: %s\n", strerror(errno));
        return 1;
    }
    do ended = syscall(SYS_wait4, child, &status, 0, NULL);
    while (ended < 0 && errno == EINTR);
    if (ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 7) return 0;
    printf("sigfork: created %ld, ended %ld with %#x\n", child, ended, (unsigned)status);
    return 1;
}

static long succeed(long (*create)(void)) {
    for (int i = 0; i < forks || ticks < least_ticks; ++i)
        if (fork_and_wait(create) != 0) return 1;
    return 0;
}

static void* succeed_in_thread(void* unused) {
    (void)unused;
    return (void*)succeed(raw_fork);
}

static long succeed_in_threads(void) {
    pthread_t thread[threads];
    sigset_t alarm_only;
    long failures = 0;
    for (int i = 0; i < threads; ++i)
        if (pthread_create(&thread[i], NULL, succeed_in_thread, NULL) != 0) return 1;
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm_only, NULL); /* here, so that the others get the ticks */
    for (int i = 0; i < threads; ++i) {
        void* result = NULL;
        pthread_join(thread[i], &result);
        failures += (long)result;
    }
    return failures;
}

static long fail(void) {
    const struct rlimit none = {0, 0};
    /* The limit doesn't hold for root. */
    if (getuid() == 0 && setresuid(nobody, nobody, nobody) != 0) return 1;
    if (setrlimit(RLIMIT_NPROC, &none) != 0) return 1;
    for (int i = 0; i < forks || ticks < least_ticks; ++i) {
        const pid_t child = fork();
        if (child == 0) _exit(0);
        if (child < 0 && errno == EAGAIN) continue;
        printf("sigfork: a fork beyond the limit: %s\n", child < 0 ? strerror(errno) : "succeeded");
        return 1;
    }
    return 0;
}

int main(int argc, char** argv) {
    const char* const how = argc > 1 ? argv[1] : "";
    long failures = 1;
    start_timer();
    if (strcmp(how, "succeeding") == 0) failures = succeed(library_fork);
    if (strcmp(how, "failing") == 0) failures = fail();
    if (strcmp(how, "threads") == 0) failures = succeed_in_threads();
    printf("sigfork: %s: %ld failures\n", how, failures);
    return failures == 0 ? 0 : 1;
}
