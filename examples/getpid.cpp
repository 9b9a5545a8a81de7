// Asks for its own number, N times: the least that a system call can do, and one that a layer below has to
// answer.
#include <unistd.h>

#include <cstdio>

#include "examples/arguments.h"
#include "examples/result.h"

int main(int argc, char** argv) {
    const long count = count_argument(argc, argv, 1000000);
    const pid_t self = getpid();
    long different = 0;
    const Stopwatch watch;
    for (long i = 0; i < count; ++i) different += getpid() != self;
    tell_per_second("getpid", {count, "calls", watch.seconds()});
    std::printf("; pid %d\n", self);
    if (different > 0) std::fprintf(stderr, "getpid: %ld calls gave another number\n", different);
    return different == 0 ? 0 : 1;
}
