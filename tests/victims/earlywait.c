/* Children that end, and are waited for, before fork has returned to the thread that made them. `earlywait
 * handler|threads|asking`: handler  a SIGCHLD handler waits; its numbers are those that fork returns threads
 * one thread waits for whoever comes, four make children that end at once; as above asking   children ask who
 * they are at once, and become leaders of sessions; all views agree */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { rounds = 2000, makers = 4, largest = 1 << 22 };

static atomic_int* waited; /* how often, by number */
static atomic_int* made;
static atomic_int failures;

static void on_child(int number) {
    const int error = errno;
    (void)number;
    for (pid_t child; (child = waitpid(-1, NULL, WNOHANG)) > 0;) atomic_fetch_add(&waited[child], 1);
    errno = error;
}

static int compare(void) {
    int wrong = 0;
    for (int i = 0; i < largest; ++i)
        if (made[i] != waited[i] && ++wrong < 10)
            printf("earlywait: %d was made %d times, waited for %d times\n", i, made[i], waited[i]);
    return wrong;
}

static int in_handler(void) {
    const struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
    sigaction(SIGCHLD, &action, NULL);
    for (int i = 0; i < rounds; ++i) {
        const pid_t child = fork();
        if (child == 0) _exit(0);
        if (child <= 0) return 1;
        atomic_fetch_add(&made[child], 1);
    }
    for (pid_t child; (child = waitpid(-1, NULL, 0)) > 0;) atomic_fetch_add(&waited[child], 1);
    return compare() + failures;
}

static atomic_int at_work = makers;

static void* make_children(void* unused) {
    for (int i = 0; i < rounds; ++i) {
        const pid_t child = fork();
        if (child == 0) _exit(0);
        if (child > 0)
            atomic_fetch_add(&made[child], 1);
        else
            ++failures;
    }
    --at_work;
    return unused;
}

static int in_threads(void) {
    pthread_t thread[makers];
    for (int i = 0; i < makers; ++i) pthread_create(&thread[i], NULL, make_children, NULL);
    for (;;) {
        const int last = at_work == 0;
        const pid_t child = waitpid(-1, NULL, 0);
        if (child > 0)
            atomic_fetch_add(&waited[child], 1);
        else if (last)
            break;
        else
            sched_yield();
    }
    for (int i = 0; i < makers; ++i) pthread_join(thread[i], NULL);
    return compare() + failures;
}

struct view {
    pid_t self, parent, session, group, self_again;
};

static void* ask_children(void* unused) {
    struct view* const view =
        mmap(NULL, sizeof *view, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const pid_t self = getpid();
    for (int i = 0; i < rounds; ++i) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0) {
            view->self = getpid();
            view->parent = getppid();
            view->session = i % 2 ? setsid() : getpid();
            view->group = i % 2 ? getpgrp() : getpid();
            view->self_again = getpid();
            _exit(0);
        }
        const pid_t ended = waitpid(child, &status, 0);
        const int right = child > 0 && ended == child && status == 0 && view->self == child &&
                          view->parent == self && view->session == child && view->group == child &&
                          view->self_again == child;
        if (!right && ++failures < 10)
            printf(
                "earlywait: %d: made %d, ended %d with %#x, sees itself as %d and %d, parent %d, session %d, "
                "group %d\n",
                i, child, ended, (unsigned)status, view->self, view->self_again, view->parent, view->session,
                view->group);
    }
    return unused;
}

static int asking(void) {
    pthread_t thread[makers];
    for (int i = 0; i < makers; ++i) pthread_create(&thread[i], NULL, ask_children, NULL);
    for (int i = 0; i < makers; ++i) pthread_join(thread[i], NULL);
    return failures;
}

static void* counters(void) {
    return mmap(NULL, largest * sizeof(atomic_int), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

int main(int argc, char** argv) {
    const char* const how = argc > 1 ? argv[1] : "";
    int wrong = -1;
    waited = counters();
    made = counters();
    if (strcmp(how, "handler") == 0) wrong = in_handler();
    if (strcmp(how, "threads") == 0) wrong = in_threads();
    if (strcmp(how, "asking") == 0) wrong = asking();
    printf("earlywait: %s: %d wrong\n", how, wrong);
    return wrong == 0 ? 0 : 1;
}
