/* What bench fastpath measures: operations of a program, each many times. Reads lines
 *
 *     NAME COUNT [ARGUMENT]
 *
 * and answers each with one line: microseconds of one operation, as the mean and as the median, and the
 * processor time and its system part that the children of one operation took. The median is what the
 * machine's other work disturbs least; the mean leaves nothing out. Ends at the end of its input.
 *
 *     cc -O1 -pthread [-static] operations.c */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

static double now(void) { /* in microseconds */
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void must(int right, const char* what) {
    if (right) return;
    printf("error: %s: %m\n", what);
    exit(1);
}

static void reap(pid_t child) {
    int status = 0;
    must(waitpid(child, &status, 0) == child, "waitpid");
    must(status == 0, "a child");
}

static void run(char* const* words, const posix_spawn_file_actions_t* actions) {
    pid_t child = 0;
    must(posix_spawnp(&child, words[0], actions, NULL, words, environ) == 0, words[0]);
    reap(child);
}

/* The operations. */

static void do_getpid(const char* unused) {
    (void)unused;
    must(getpid() > 0, "getpid");
}

static void do_open(const char* path) {
    char byte;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    must(file >= 0 && read(file, &byte, 1) == 1 && close(file) == 0, path);
}

static void do_stat(const char* path) {
    struct stat status;
    must(stat(path, &status) == 0, path);
}

static void do_fstat(const char* unused) {
    (void)unused;
    struct stat status;
    must(fstat(STDOUT_FILENO, &status) == 0, "fstat");
}

static void do_spawn(const char* unused) {
    (void)unused;
    const pid_t child = fork();
    if (child == 0) _exit(0);
    reap(child);
}

static void do_vfork(const char* unused) {
    (void)unused;
    const pid_t child = vfork();
    if (child == 0) _exit(0);
    reap(child);
}

static void do_posix_spawn(const char* path) {
    char none[] = "0";
    char* const words[] = {(char*)path, none, NULL};
    run(words, NULL);
}

enum { execs_in_one = 20 };

static void do_exec(const char* path) { /* again.c */
    char count[16];
    snprintf(count, sizeof count, "%d", execs_in_one - 1);
    char* const words[] = {(char*)path, count, NULL};
    run(words, NULL);
}

static void* begin(void* unused) {
    return unused;
}

static void do_thread(const char* unused) {
    (void)unused;
    pthread_t thread;
    must(pthread_create(&thread, NULL, begin, NULL) == 0, "pthread_create");
    must(pthread_join(thread, NULL) == 0, "pthread_join");
}

static void do_shell(const char* line) {
    char shell[] = "/bin/sh", option[] = "-c";
    char* const words[] = {shell, option, (char*)line, NULL};
    run(words, NULL);
}

static void do_ps(const char* unused) {
    (void)unused;
    char ps[] = "ps", option[] = "-xaf";
    char* const words[] = {ps, option, NULL};
    posix_spawn_file_actions_t actions;
    must(posix_spawn_file_actions_init(&actions) == 0, "posix_spawn");
    must(posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) == 0,
         "posix_spawn");
    run(words, &actions);
    posix_spawn_file_actions_destroy(&actions);
}

/* One more process that lives until this one ends, for ps to see. */
static void do_crowd(const char* unused) {
    (void)unused;
    const pid_t child = fork();
    must(child >= 0, "fork");
    if (child != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) pause();
}

static const struct operation {
    const char* name;
    void (*make)(const char*);
    int batch;   /* so many between two looks at the clock, where a look takes as long as the operation */
    int divided; /* one is so many */
} operations[] = {
    {"getpid", do_getpid, 200, 1}, {"open", do_open, 20, 1},
    {"stat", do_stat, 50, 1},      {"fstat", do_fstat, 200, 1},
    {"spawn", do_spawn, 1, 1},     {"vfork", do_vfork, 1, 1},
    {"thread", do_thread, 1, 1},   {"posix_spawn", do_posix_spawn, 1, 1},
    {"shell", do_shell, 1, 1},     {"exec", do_exec, 1, execs_in_one},
    {"ps", do_ps, 1, 1},           {"crowd", do_crowd, 1, 1},
};

static int compare(const void* left, const void* right) {
    const double l = *(const double*)left, r = *(const double*)right;
    return (l > r) - (l < r);
}

static double seconds(struct timeval t) {
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void measure(const struct operation* operation, int count, const char* argument) {
    const int batches = (count + operation->batch - 1) / operation->batch;
    double* times = malloc(sizeof *times * (size_t)batches);
    struct rusage before, after;
    must(times != NULL, "malloc");
    getrusage(RUSAGE_CHILDREN, &before);
    const double begun = now();
    double last = begun;
    for (int i = 0; i < batches; ++i) {
        for (int j = 0; j < operation->batch; ++j) operation->make(argument);
        const double t = now();
        times[i] = t - last;
        last = t;
    }
    getrusage(RUSAGE_CHILDREN, &after);
    qsort(times, (size_t)batches, sizeof *times, compare);
    const double one = operation->batch * operation->divided, all = one * batches;
    const double system = seconds(after.ru_stime) - seconds(before.ru_stime);
    const double user = seconds(after.ru_utime) - seconds(before.ru_utime);
    printf("%.5f %.5f %.5f %.5f\n", (last - begun) / all, times[batches / 2] / one,
           (user + system) * 1e6 / all, system * 1e6 / all);
    free(times);
}

int main(void) {
    char line[4096];
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGPIPE, SIG_DFL);
    while (fgets(line, sizeof line, stdin)) {
        char name[32];
        int count = 0, read = 0;
        line[strcspn(line, "\n")] = '\0';
        must(sscanf(line, "%31s %d %n", name, &count, &read) >= 2 && count > 0, line);
        const struct operation* found = NULL;
        for (size_t i = 0; i < sizeof operations / sizeof *operations; ++i)
            if (strcmp(operations[i].name, name) == 0) found = &operations[i];
        must(found != NULL, name);
        measure(found, count, line + read);
    }
    return 0;
}
