// Makes a crowd of LIVE processes that do nothing, and then what the spawn example does, N times: what one
// process costs where many others live.
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "examples/arguments.h"
#include "examples/result.h"

namespace {

// Each lives as long as somebody holds the pipe's other end: not longer than this program, whatever ends it.
bool make_crowd(long live, const int (&ends)[2]) {
    for (long i = 0; i < live; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            char nothing = 0;
            close(ends[1]);
            _exit(read(ends[0], &nothing, 1) == 0 ? 0 : 1);
        }
        if (child > 0) continue;
        std::fprintf(stderr, "crowd: process %ld of %ld: fork: %s\n", i + 1, live, std::strerror(errno));
        return false;
    }
    return true;
}

bool spawn(long count) {
    for (long i = 0; i < count; ++i) {
        const pid_t child = fork();
        if (child == 0) _exit(0);
        int status = 0;
        if (child > 0 && waitpid(child, &status, 0) == child && status == 0) continue;
        std::perror("crowd: fork and wait");
        return false;
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    Argument arguments[] = {{"LIVE", 1000}, {"N", 1000}};
    read_arguments(argc, argv, arguments);
    const long live = arguments[0].value;
    const long count = arguments[1].value;
    int ends[2];
    if (pipe(ends) != 0) {
        std::perror("crowd: pipe");
        return 1;
    }
    bool good = make_crowd(live, ends);
    const Stopwatch watch;
    good = good && spawn(count);
    const double seconds = watch.seconds();
    close(ends[1]);
    for (int status = 0; wait(&status) > 0;) good = good && status == 0;
    if (!good) return 1;
    tell_per_second("crowd", {count, "processes", seconds});
    std::printf("; beside %ld others\n", live);
}
