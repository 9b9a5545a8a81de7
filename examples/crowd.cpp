// Makes a crowd of LIVE processes that do nothing, and then what the spawn example does, N times: what one
// process costs where many others live.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "examples/arguments.h"
#include "examples/crowd.h"
#include "examples/result.h"

namespace {

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
    Crowd crowd("crowd", live);
    if (!crowd.good()) return 1;
    const Stopwatch watch;
    const bool spawned = spawn(count);
    const double seconds = watch.seconds();
    if (!crowd.end() || !spawned) return 1;
    tell_per_second("crowd", {count, "processes", seconds});
    std::printf("; beside %ld others\n", live);
}
