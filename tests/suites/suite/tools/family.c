// A parent and a child that agree about their numbers.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int number;

void child(int parent) {
    if (getppid() != parent) _exit(1);
    kill(getpid(), SIGUSR1);
    _exit(7);
}

static void caught(int signal) {
    (void)signal;
}

int main(int count, char** words) {
    number = getpid();
    signal(SIGUSR1, caught);
    if (count > 1 && strcmp(words[1], "wait") == 0)
        while (1) pause();
    int pid = fork();
    if (pid == 0) child(number);
    int status = 0;
    int ended = waitpid(pid, &status, 0);
    printf("agree %d, status %d\n", ended == pid, WEXITSTATUS(status));
    return 0;
}
