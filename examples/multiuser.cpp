// What reaim measures: several users at once, each of them a process that does one job after the other, all
// kinds of them equally often, in an order of its own. Jobs per minute, for each number of users.
#include <getopt.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "examples/arguments.h"
#include "examples/multiuser_jobs.h"
#include "examples/result.h"
#include "examples/scratch.h"

namespace {

struct Options {
    std::vector<long> users = {1, 3, 5, 7, 9};
    long turns = 20;
    long repeats = 3;
};

[[noreturn]] void usage(const char* program) {
    std::fprintf(
        stderr,
        "usage: %s [-u USERS[,USERS]...] [-n TURNS] [-r REPEATS]\n"
        "  -u  numbers of users (default: 1,3,5,7,9)\n"
        "  -n  how often each user does each kind of job (default: 20)\n"
        "  -r  how often all that is done for each number of users, for the deviation (default: 3)\n",
        program);
    std::exit(2);
}

bool read_list(const char* text, std::vector<long>& numbers) {
    numbers.clear();
    std::istringstream list(text);
    bool good = true;
    for (std::string word; good && std::getline(list, word, ',');)
        good = read_number(word.c_str(), numbers.emplace_back());
    return good && !numbers.empty();
}

Options read_options(int argc, char** argv) {
    Options options;
    bool good = true;
    for (int letter = 0; (letter = getopt(argc, argv, "u:n:r:")) != -1;)
        good = good && ((letter == 'u' && read_list(optarg, options.users)) ||
                        (letter == 'n' && read_number(optarg, options.turns)) ||
                        (letter == 'r' && read_number(optarg, options.repeats)));
    if (!good || optind != argc) usage(argv[0]);
    return options;
}

// What one user does; the number is the order's seed, so the order is the same in every run.
bool work(long user, long turns) {
    std::vector<const Job*> order;
    for (const Job& job : jobs()) order.insert(order.end(), static_cast<size_t>(turns), &job);
    std::ranges::shuffle(order, std::minstd_rand(static_cast<unsigned>(user)));
    for (const Job* job : order) {
        errno = 0;
        if (job->run()) continue;
        std::fprintf(stderr, "multiuser: user %ld, job \"%s\": %s\n", user, job->name, std::strerror(errno));
        return false;
    }
    return true;
}

// All users at once; how long it took. Less than 0: somebody failed, and has said so.
double work_together(long users, long turns) {
    const Stopwatch watch;
    bool good = true;
    long started = 0;
    for (; good && started < users; ++started) {
        const pid_t child = fork();
        if (child == 0) _exit(work(started + 1, turns) ? 0 : 1);
        if (child < 0) {
            std::perror("multiuser: fork");
            good = false;
            break;
        }
    }
    for (long i = 0; i < started; ++i) {
        int status = 0;
        good = wait(&status) > 0 && status == 0 && good;
    }
    return good ? watch.seconds() : -1;
}

double deviation(const std::vector<double>& values, double mean) {
    double sum = 0;
    for (const double value : values) sum += (value - mean) * (value - mean);
    return values.size() < 2 ? 0 : std::sqrt(sum / static_cast<double>(values.size() - 1));
}

bool measure(long users, const Options& options) {
    const long done = users * options.turns * static_cast<long>(jobs().size());
    std::vector<double> per_minute;
    double total = 0;
    for (long i = 0; i < options.repeats; ++i) {
        const double seconds = work_together(users, options.turns);
        if (seconds < 0) return false;
        total += seconds;
        per_minute.push_back(60 * static_cast<double>(done) / seconds);
    }
    double mean = 0;
    for (const double value : per_minute) mean += value / static_cast<double>(per_minute.size());
    const std::string name = "multiuser/" + std::to_string(users);
    tell(name.c_str(), mean, "jpm", {done * options.repeats, "jobs", total});
    std::printf("; deviation %.1f of %ld\n", deviation(per_minute, mean), options.repeats);
    std::fflush(stdout);
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = read_options(argc, argv);
    const Scratch directory("multiuser");
    if (!directory.good()) return 1;
    for (const long users : options.users)
        if (!measure(users, options)) return 1;
}
