// The kernel of UnixBench's execl test: a program that replaces itself by itself, N times, and stays the same
// process. The state travels in the arguments: execl N REMAINING START PID, with its full path before them.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "examples/arguments.h"
#include "examples/result.h"

namespace {
long long now() {
    return std::chrono::steady_clock::now().time_since_epoch().count();
}  // nanoseconds
// Not /proc/self/exe itself, which is looked up in another way than files are.
std::string own_path() {
    std::error_code wrong;
    const std::string path = std::filesystem::read_symlink("/proc/self/exe", wrong);
    return wrong ? "/proc/self/exe" : path;
}
}  // namespace

int main(int argc, char** argv) {
    const bool first = argc != 5;
    const long count = count_argument(first ? argc : 2, argv, 1000);
    const long remaining = first ? count : std::atol(argv[2]);
    const long long start = first ? now() : std::atoll(argv[3]);
    const std::string pid = first ? std::to_string(getpid()) : argv[4];
    const std::string path = first ? own_path() : argv[0];

    if (pid != std::to_string(getpid())) {
        std::fprintf(stderr, "execl: process %s became %d\n", pid.c_str(), getpid());
        return 1;
    }
    if (remaining == 0) {
        tell_per_second("execl", {count, "executions", static_cast<double>(now() - start) / 1e9});
        std::printf("; pid %s\n", pid.c_str());
        return 0;
    }
    execl(path.c_str(), path.c_str(), std::to_string(count).c_str(), std::to_string(remaining - 1).c_str(),
          std::to_string(start).c_str(), pid.c_str(), nullptr);
    std::perror(("execl: " + path).c_str());
    return 1;
}
