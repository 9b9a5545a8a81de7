// A chain of processes, each the parent of the next. Every level prints its own number, its parent's, and
// what its parent called it; the numbers must agree all the way down and up.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "examples/arguments.h"

namespace {
// Runs in the child: whether parent and child agree about who is who.
bool agree(long level, pid_t parent, int told) {
    pid_t name = 0;
    if (read(told, &name, sizeof name) != sizeof name) return false;
    close(told);
    const bool same = name == getpid() && parent == getppid();
    std::printf("level %ld: pid %d, parent %d; its parent is %d and called it %d%s\n", level, getpid(),
                getppid(), parent, name, same ? "" : "  <- differs");
    return same;
}
}  // namespace

int main(int argc, char** argv) {
    const long depth = count_argument(argc, argv, 5);
    std::setvbuf(stdout, nullptr, _IONBF, 0);  // a fork must not copy pending output
    std::printf("level 0: pid %d, parent %d\n", getpid(), getppid());

    bool good = true;
    long level = 0;
    pid_t child = 0;
    while (level < depth && child == 0) {
        int told[2];
        if (pipe(told) != 0) return 1;
        const pid_t self = getpid();
        child = fork();
        if (child < 0) {
            std::perror("nested: fork");
            return 1;
        }
        if (child == 0) {
            close(told[1]);
            good = agree(++level, self, told[0]);
        } else {
            good = write(told[1], &child, sizeof child) == sizeof child && good;
            close(told[0]);
            close(told[1]);
        }
    }
    if (child != 0) {
        int status = 0;
        good = waitpid(child, &status, 0) == child && status == 0 && good;
    }
    if (level == 0) std::printf("nested: %ld levels %s\n", depth, good ? "agree" : "DISAGREE");
    return good ? 0 : 1;
}
