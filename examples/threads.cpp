// Creates a thread and joins it, N times. Each thread proves that it ran in this process.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "examples/arguments.h"

int main(int argc, char** argv) {
    const long count = count_argument(argc, argv, 10000);
    const pid_t self = getpid();
    long ran = 0;
    const auto start = std::chrono::steady_clock::now();
    for (long i = 0; i < count; ++i) std::thread([&] { ran += getpid() == self && gettid() != self; }).join();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("threads: %ld threads in %.2f s, %.0f/s; pid %d\n", count, seconds,
                static_cast<double>(count) / seconds, self);
    if (ran != count) std::fprintf(stderr, "threads: %ld of them had wrong numbers\n", count - ran);
    return ran == count ? 0 : 1;
}
