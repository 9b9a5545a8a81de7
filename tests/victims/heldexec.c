/* The leader installs a handler without SA_RESTART while there is another thread, and that thread executes
 * this program anew. A layer that keeps such processes traced sees the leader vanish and its number pass to
 * the thread. Proves that every number is still right in the new program, and that it can fork and wait. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { rounds = 20 };

static int start[2];

static void on_signal(int number) {
    (void)number;
}

static void* execute(void* arguments) {
    char** const words = arguments; /* round, process */
    char byte;
    if (read(start[0], &byte, 1) == 1) execl("/proc/self/exe", "heldexec", words[0], words[1], (char*)NULL);
    _exit(3);
}

static int family_is_right(void) {
    int status = 0;
    const pid_t self = getpid();
    const pid_t child = fork();
    if (child == 0) _exit(getppid() == self ? 7 : 8);
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

int main(int argc, char** argv) {
    char round_text[16], process_text[16];
    char* words[] = {round_text, process_text};
    const int round = argc > 1 ? atoi(argv[1]) : 0;
    if (argc > 2 && (getpid() != atoi(argv[2]) || syscall(SYS_gettid) != getpid())) {
        printf("heldexec: process %s became %d, led by thread %ld\n", argv[2], getpid(), syscall(SYS_gettid));
        return 1;
    }
    if (!family_is_right()) {
        printf("heldexec: round %d: parent and child disagree\n", round);
        return 1;
    }
    if (round == rounds) {
        printf("heldexec: process %d\n", getpid());
        return 0;
    }
    snprintf(round_text, sizeof round_text, "%d", round + 1);
    snprintf(process_text, sizeof process_text, "%d", getpid());
    pthread_t thread;
    if (pipe2(start, O_CLOEXEC) != 0 || pthread_create(&thread, NULL, execute, words) != 0) return 2;
    const struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &action, NULL);
    if (write(start[1], "x", 1) != 1) return 2;
    for (;;) pause();
}
