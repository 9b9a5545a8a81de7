// The kernel of UnixBench's process creation test: fork, let the child end at once, wait for it; N times.
// Every result is checked: fork and wait must speak of the same process, and its exit code must arrive.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "examples/arguments.h"
#include "examples/result.h"

int main(int argc, char** argv) {
    const long count = count_argument(argc, argv, 10000);
    pid_t child = 0;
    const Stopwatch watch;
    for (long i = 0; i < count; ++i) {
        const int code = static_cast<int>(i % 128);
        child = fork();
        if (child == 0) _exit(code);
        if (child < 0) {
            std::perror("spawn: fork");
            return 1;
        }
        int status = 0;
        const pid_t ended = waitpid(child, &status, 0);
        if (ended != child || !WIFEXITED(status) || WEXITSTATUS(status) != code) {
            std::fprintf(stderr, "spawn: fork said %d and exit code %d, wait said %d and status %#x\n", child,
                         code, ended, static_cast<unsigned>(status));
            return 1;
        }
    }
    tell_per_second("spawn", {count, "processes", watch.seconds()});
    std::printf("; pid %d, last child %d\n", getpid(), child);
}
