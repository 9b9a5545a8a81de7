// The kernel of UnixBench's execl test: a program that replaces itself by itself, N times, and stays the same
// process. The state travels in the arguments: execl N REMAINING START PID.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "examples/arguments.h"
#include "examples/result.h"

namespace {
long long now() {
    return std::chrono::steady_clock::now().time_since_epoch().count();
}  // nanoseconds
}  // namespace

int main(int argc, char** argv) {
    const bool first = argc != 5;
    const long count = count_argument(first ? argc : 2, argv, 1000);
    const long remaining = first ? count : std::atol(argv[2]);
    const long long start = first ? now() : std::atoll(argv[3]);
    const std::string pid = first ? std::to_string(getpid()) : argv[4];

    if (pid != std::to_string(getpid())) {
        std::fprintf(stderr, "execl: process %s became %d\n", pid.c_str(), getpid());
        return 1;
    }
    if (remaining == 0) {
        tell_per_second("execl", {count, "executions", static_cast<double>(now() - start) / 1e9});
        std::printf("; pid %s\n", pid.c_str());
        return 0;
    }
    execl("/proc/self/exe", argv[0], std::to_string(count).c_str(), std::to_string(remaining - 1).c_str(),
          std::to_string(start).c_str(), pid.c_str(), nullptr);
    std::perror("execl: /proc/self/exe");
    return 1;
}
