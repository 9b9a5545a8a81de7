/* Threads fork and wait without end while another thread executes this program anew, again and again: each
 * exec ends the others in the middle of their calls, whatever these had reached. Proves that nothing hangs,
 * that no number is wrong and that no trace of a thread that is gone is left to the new program.
 * `execstorm ROUNDS none|before|after`: a handler without SA_RESTART, whose threads the layer keeps traced,
 * is installed never, before there are other threads, or after. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { forkers = 3 };

static char* handler_time;
static int rounds_left;

static void wrong(const char* what, long is, long should_be) {
    printf("execstorm: %d rounds to go: %s is %ld, not %ld\n", rounds_left, what, is, should_be);
    fflush(stdout);
    _exit(1);
}

static void fork_and_wait(volatile pid_t* seen) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        *seen = getpid();
        _exit(7);
    }
    const pid_t ended = waitpid(child, &status, 0);
    if (child <= 0 || ended != child) wrong("the waited child", ended, child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 7) wrong("the status", status, 7 << 8);
    if (*seen != child) wrong("the child's own number", *seen, child);
}

static void* keep_forking(void* unused) {
    volatile pid_t* seen =
        mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (seen == MAP_FAILED) _exit(2);
    for (;;) fork_and_wait(seen);
    return unused;
}

static void* execute(void* unused) {
    char rounds[16], number[16];
    usleep(200 + (useconds_t)(rounds_left * 7919 % 4000)); /* another moment each time */
    snprintf(rounds, sizeof rounds, "%d", rounds_left - 1);
    snprintf(number, sizeof number, "%d", getpid());
    execl("/proc/self/exe", "execstorm", rounds, handler_time, number, (char*)NULL);
    _exit(3);
    return unused;
}

static void on_signal(int number) {
    (void)number;
}

static void handle_signals_if(const char* time) {
    const struct sigaction action = {.sa_handler = on_signal};
    if (strcmp(handler_time, time) == 0) sigaction(SIGUSR1, &action, NULL);
}

int main(int argc, char** argv) {
    pthread_t thread;
    if (argc < 3) return 2;
    rounds_left = atoi(argv[1]);
    handler_time = argv[2];
    if (argc > 3 && getpid() != atoi(argv[3])) wrong("getpid after exec", getpid(), atoi(argv[3]));
    if (rounds_left == 0) {
        printf("execstorm: finished\n");
        return 0;
    }
    while (waitpid(-1, NULL, WNOHANG) > 0) continue; /* children of threads that are gone */
    handle_signals_if("before");
    for (int i = 1; i < forkers; ++i)
        if (pthread_create(&thread, NULL, keep_forking, NULL) != 0) return 2;
    handle_signals_if("after");
    if (pthread_create(&thread, NULL, execute, NULL) != 0) return 2;
    keep_forking(NULL);
}
