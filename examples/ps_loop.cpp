// Runs `ps -xaf` N times, without its output, beside LIVE processes more, and tells the system time it took:
// a heavy reader of /proc.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "examples/arguments.h"
#include "examples/crowd.h"
#include "examples/result.h"

namespace {
double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

[[noreturn]] void list_processes() {
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0) _exit(126);
    execlp("ps", "ps", "-xaf", nullptr);
    std::perror("ps_loop: ps");
    _exit(127);
}
}  // namespace

int main(int argc, char** argv) {
    Argument arguments[] = {{"N", 100}, {"LIVE", 0}};
    read_arguments(argc, argv, arguments);
    const long count = arguments[0].value;
    const Crowd crowd("ps_loop", arguments[1].value);
    if (!crowd.good()) return 1;
    long failed = 0;
    const Stopwatch watch;
    for (long i = 0; i < count; ++i) {
        const pid_t child = fork();
        if (child == 0) list_processes();
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child) {
            std::perror("ps_loop");
            return 1;
        }
        failed += status != 0;
    }
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    const double elapsed = watch.seconds();
    tell("ps_loop", seconds(usage.ru_stime), "s", {count, "runs", elapsed});
    std::printf("; system time; %.3f s user\n", seconds(usage.ru_utime));
    // Where /proc shows other numbers than getpid, ps may look for itself in vain.
    if (failed > 0) std::printf("ps_loop: %ld runs of ps failed, so these figures mean little\n", failed);
}
