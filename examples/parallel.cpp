// Runs a command so many times at once, and tells how long it took until all had ended.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "examples/arguments.h"
#include "examples/result.h"

namespace {

// The commands' standard output goes nowhere. They don't outlive this program.
[[noreturn]] void execute(pid_t parent, char** command) {
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null < 0 || dup2(null, STDOUT_FILENO) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 ||
        getppid() != parent)
        _exit(126);
    execvp(command[0], command);
    std::perror("parallel: exec");
    _exit(127);
}

}  // namespace

int main(int argc, char** argv) {
    long count = 0;
    if (argc < 3 || !read_number(argv[1], count)) {
        std::fprintf(stderr, "usage: %s N COMMAND [ARGUMENT...], where N is a positive number\n", argv[0]);
        return 2;
    }
    const pid_t self = getpid();
    bool good = true;
    const Stopwatch watch;
    for (long i = 0; good && i < count; ++i) {
        const pid_t child = fork();
        if (child == 0) execute(self, argv + 2);
        if (child > 0) continue;
        std::perror("parallel: fork");
        good = false;
    }
    long failed = 0;
    for (int status = 0; wait(&status) > 0;) failed += status != 0;
    const double seconds = watch.seconds();
    if (failed > 0) std::fprintf(stderr, "parallel: %ld of %ld commands failed\n", failed, count);
    if (failed > 0 || !good) return 1;
    tell("parallel", seconds, "s", {count, "commands", seconds});
    std::printf("; all at once\n");
}
