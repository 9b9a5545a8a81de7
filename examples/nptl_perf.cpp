// What glibc's nptl/perf measures: creates threads, at most so many at a time, and joins them. The options
// are those of the original: nptl_perf -s 1000000 -t 1 -r 0 -T --sync-join. Each thread proves that it ran in
// this process.
#include <getopt.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <system_error>
#include <thread>
#include <vector>

#include "examples/arguments.h"
#include "examples/result.h"

namespace {

struct Options {
    long starts = 1000000;
    long threads = 1;
    long rounds = 0;
    bool timing = false;
};

[[noreturn]] void usage(const char* program) {
    std::fprintf(stderr,
                 "usage: %s [-s STARTS] [-t THREADS] [-r ROUNDS] [-T] [--sync-join]\n"
                 "  -s, --starts=N   threads to start in all (default: 1000000)\n"
                 "  -t, --threads=N  of which so many at a time (default: 1)\n"
                 "  -r, --rounds=N   what each of them works (default: 0, nothing)\n"
                 "  -T, --timing     tell how long it took\n"
                 "  --sync-join      wait for threads by joining them: always so\n",
                 program);
    std::exit(2);
}

Options read_options(int argc, char** argv) {
    constexpr int sync_join = 256;
    static const option known[] = {
        {"starts", required_argument, nullptr, 's'},    {"threads", required_argument, nullptr, 't'},
        {"rounds", required_argument, nullptr, 'r'},    {"timing", no_argument, nullptr, 'T'},
        {"sync-join", no_argument, nullptr, sync_join}, {}};
    Options options;
    bool good = true;
    for (int letter = 0; (letter = getopt_long(argc, argv, "s:t:r:T", known, nullptr)) != -1;) {
        switch (letter) {
            case 's': good = good && read_number(optarg, options.starts); break;
            case 't': good = good && read_number(optarg, options.threads); break;
            case 'r': good = good && (*optarg == '0' || read_number(optarg, options.rounds)); break;
            case 'T': options.timing = true; break;
            case sync_join: break;
            default: good = false;
        }
    }
    if (!good || optind != argc) usage(argv[0]);
    return options;
}

// Additions that no compiler leaves out.
void work(long rounds) {
    volatile long sum = 0;
    for (long i = 0; i < rounds; ++i) sum = sum + i;
}

}  // namespace

int main(int argc, char** argv) try {
    const Options options = read_options(argc, argv);
    const pid_t self = getpid();
    std::atomic<long> ran = 0;
    std::vector<std::thread> running(static_cast<size_t>(options.threads));
    const Stopwatch watch;
    for (long i = 0; i < options.starts; ++i) {
        std::thread& place = running[static_cast<size_t>(i % options.threads)];
        if (place.joinable()) place.join();
        place = std::thread([&] {
            work(options.rounds);
            ran += getpid() == self && gettid() != self;
        });
    }
    for (std::thread& thread : running)
        if (thread.joinable()) thread.join();
    const double seconds = watch.seconds();
    if (options.timing) {
        tell("nptl_perf", seconds, "s", {options.starts, "threads", seconds});
        std::printf("; %ld at a time, pid %d\n", options.threads, self);
    }
    if (ran != options.starts)
        std::fprintf(stderr, "nptl_perf: %ld threads had wrong numbers\n", options.starts - ran);
    return ran == options.starts ? 0 : 1;
} catch (const std::system_error& error) {
    std::fprintf(stderr, "nptl_perf: start a thread: %s\n", error.what());
    return 1;
}
