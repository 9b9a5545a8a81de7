/* pidfd_send_signal takes a directory of /proc as well. `procsignal FD`: the descriptor is of the directory
 * of a process outside of the container. Proves that a process outside isn't signalled, and as a control that
 * one inside is. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long send_term(int directory) {
    return syscall(SYS_pidfd_send_signal, directory, SIGTERM, NULL, 0);
}

/* The child opens its own directory in a table of descriptors that it shares with us. */
static const char* signal_inside(void) {
    int told[2], directory = -1, status = 0;
    if (pipe(told) != 0) return "no pipe";
    const long child = syscall(SYS_clone, (unsigned long)(CLONE_FILES | SIGCHLD), NULL, NULL, NULL, 0UL);
    if (child == 0) {
        directory = open("/proc/self", O_DIRECTORY);
        if (write(told[1], &directory, sizeof directory) < 0) _exit(1);
        for (;;) pause();
    }
    if (child < 0 || read(told[0], &directory, sizeof directory) != sizeof directory || directory < 0)
        return "no directory";
    const char* const result = send_term(directory) == 0 ? "sent" : strerror(errno);
    if (strcmp(result, "sent") != 0) kill((pid_t)child, SIGKILL);
    waitpid((pid_t)child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM ? "received" : result;
}

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    const long sent = send_term(atoi(argv[1]));
    printf("outside: %s\n", sent == 0 ? "sent" : strerror(errno));
    printf("inside: %s\n", signal_inside());
    return 0;
}
