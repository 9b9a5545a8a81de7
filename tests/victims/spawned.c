/* posix_spawn, many times: the child shares its parent's memory until it has executed. */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

int main(int argc, char** argv) {
    if (argc == 3 && strcmp(argv[1], "child") == 0) return atoi(argv[2]) == getppid() ? 7 : 8;
    char parent[16];
    snprintf(parent, sizeof parent, "%d", getpid());
    char* child_argv[] = {argv[0], (char*)"child", parent, NULL};
    for (int i = 0; i < 20; ++i) {
        pid_t child = 0;
        int status = 0;
        if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, child_argv, environ) != 0) return 1;
        const pid_t ended = waitpid(child, &status, 0);
        if (ended != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7) {
            printf("spawned: created %d, ended %d with %#x\n", child, ended, (unsigned)status);
            return 1;
        }
    }
    printf("spawned: all right\n");
    return 0;
}
