// What the monitor costs, measured inside real containers.
//
//     bench_monitor                                the table
//     bench_monitor --calls getpid,kill --modes host,flat --json
//     bench_monitor --ctr OLD --ctr NEW --modes flat                two builds of ctr
//     bench_monitor --modes host,kernel,flat --rounds 15 -- make -B   a command, timed as a whole
//     bench_monitor --throttle /var/tmp                             each mode also with writers slowed down
//     in user
//                                                                   space, by a limit that no disk reaches
//
// Each call is measured under each mode in several short containers, which take turns: what else the machine
// does meanwhile concerns all of them. Times are microseconds of one call as the program sees it; "calls/s"
// is what all its processes together got. The last column is the median, over the rounds, of the ratio of
// this row's p50 to the first row's of the same round.
#include <sys/utsname.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxopts.hpp>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/process.h"

namespace ctr::bench {
namespace {

struct Subject {
    std::string ctr;
    std::string mode;
    std::string name;
    std::vector<std::string> options = {};
};

struct Row {
    std::vector<uint64_t> times{};  // of single calls, in nanoseconds
    std::vector<double> medians{};  // one for each round
    uint64_t calls = 0;
    uint64_t nanoseconds = 0;
};

double percentile(const std::vector<uint64_t>& sorted, double part) {
    const auto last = static_cast<double>(sorted.size() - 1);
    return static_cast<double>(sorted.at(static_cast<size_t>(part * last + 0.5))) / 1000;
}

// One container; false: it failed.
bool measure(const Subject& subject, const std::vector<std::string>& load, Row& row) {
    std::vector<std::string> words{subject.ctr, "run", "--pidns=" + subject.mode};
    words.insert(words.end(), subject.options.begin(), subject.options.end());
    words.emplace_back("--");
    words.insert(words.end(), load.begin(), load.end());
    test::RunOptions options;
    options.timeout_seconds = 120;
    const test::Outcome outcome = test::run(words, options);
    uint64_t head[2]{};
    const bool done = outcome.code == 0 && outcome.out.size() > sizeof head;
    if (!done) {
        std::cerr << subject.name << ": ended with " << outcome.code << ": " << outcome.err << '\n';
        return false;
    }
    std::memcpy(head, outcome.out.data(), sizeof head);
    std::vector<uint64_t> times((outcome.out.size() - sizeof head) / sizeof(uint64_t));
    std::memcpy(times.data(), outcome.out.data() + sizeof head, times.size() * sizeof(uint64_t));
    row.calls += head[0];
    row.nanoseconds += head[1];
    row.times.insert(row.times.end(), times.begin(), times.end());
    std::sort(times.begin(), times.end());
    row.medians.push_back(percentile(times, 0.5));
    return true;
}

double ratio(const Row& row, const Row& first) {
    std::vector<double> ratios;
    for (size_t i = 0; i < std::min(row.medians.size(), first.medians.size()); ++i)
        ratios.push_back(row.medians[i] / first.medians[i]);
    std::sort(ratios.begin(), ratios.end());
    return ratios.empty() ? 0 : ratios[ratios.size() / 2];
}

std::string processor() {
    std::ifstream facts("/proc/cpuinfo");
    for (std::string line; std::getline(facts, line);)
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "?";
}

nlohmann::ordered_json machine() {
    utsname name{};
    uname(&name);
    double load = 0;
    getloadavg(&load, 1);
    return {{"kernel", name.release},
            {"processor", processor()},
            {"processors", std::thread::hardware_concurrency()},
            {"load", load}};
}

nlohmann::ordered_json summary(const std::string& call, const Subject& subject, Row& row, const Row& first) {
    std::sort(row.times.begin(), row.times.end());
    return {{"call", call},
            {"mode", subject.name},
            {"samples", row.times.size()},
            {"least", *std::min_element(row.medians.begin(), row.medians.end())},
            {"p50", percentile(row.times, 0.5)},
            {"p90", percentile(row.times, 0.9)},
            {"p99", percentile(row.times, 0.99)},
            {"max", percentile(row.times, 1)},
            {"per_second", static_cast<double>(row.calls) / (static_cast<double>(row.nanoseconds) / 1e9)},
            {"ratio", ratio(row, first)}};
}

void print_head(const nlohmann::ordered_json& on) {
    std::printf("%s, %u x %s, load %.1f\n\n%-29s %-9s %10s %10s %10s %10s %10s %11s %8s\n",
                on["kernel"].get<std::string>().c_str(), on["processors"].get<unsigned>(),
                on["processor"].get<std::string>().c_str(), on["load"].get<double>(), "call", "mode", "least",
                "p50", "p90", "p99", "max", "calls/s", "ratio");
}

void print(const nlohmann::ordered_json& row) {
    const auto number = [&](const char* name) { return row[name].get<double>(); };
    std::printf("%-29s %-9s %10.2f %10.2f %10.2f %10.2f %10.1f %11.0f %8.3f\n",
                row["call"].get<std::string>().c_str(), row["mode"].get<std::string>().c_str(),
                number("least"), number("p50"), number("p90"), number("p99"), number("max"),
                number("per_second"), number("ratio"));
    std::fflush(stdout);
}

std::vector<Subject> subjects(const std::vector<std::string>& binaries, const std::vector<std::string>& modes,
                              const std::string& throttled) {
    std::vector<Subject> all;
    for (const std::string& mode : modes)
        for (size_t i = 0; i < binaries.size(); ++i) {
            all.push_back(
                {binaries[i], mode, binaries.size() > 1 ? mode + " #" + std::to_string(i + 1) : mode});
            if (throttled.empty()) continue;
            all.push_back({binaries[i], mode, all.back().name + "+gate"});
            all.back().options = {"--io-throttle=user", "--log-level=warn", "--device-write-bps",
                                  throttled + ":1000tb"};
        }
    return all;
}

std::vector<std::string> all_calls(const std::string& load) {
    std::istringstream lines(test::run({load, "names"}).out);
    std::vector<std::string> names;
    for (std::string line; std::getline(lines, line);) names.push_back(line);
    return names;
}

// False: some container failed.
bool measure_all(const cxxopts::ParseResult& options) {
    const auto load = options["load"].as<std::string>();
    const bool json = options["json"].as<bool>();
    const auto& command = options.unmatched();
    auto calls = options["calls"].as<std::vector<std::string>>();
    if (calls.front() == "all") calls = all_calls(load);
    if (!command.empty()) calls = {command.front().substr(command.front().rfind('/') + 1)};
    const auto taking_turns =
        subjects(options["ctr"].as<std::vector<std::string>>(),
                 options["modes"].as<std::vector<std::string>>(), options["throttle"].as<std::string>());
    nlohmann::ordered_json all{{"machine", machine()}, {"rows", nlohmann::ordered_json::array()}};
    if (!json) print_head(all["machine"]);
    bool done = true;
    for (const std::string& call : calls) {
        std::vector<std::string> words{load, call, std::to_string(options["milliseconds"].as<int>())};
        if (!command.empty()) {
            words = {load, "run", "1"};
            words.insert(words.end(), command.begin(), command.end());
        }
        std::vector<Row> rows(taking_turns.size());
        for (int round = 0; round < options["rounds"].as<int>(); ++round)
            for (size_t i = 0; i < rows.size(); ++i) {
                // Every other round the other way round: neither profits from what the one before has left.
                const size_t turn = round % 2 == 0 ? i : rows.size() - 1 - i;
                done = measure(taking_turns[turn], words, rows[turn]) && done;
            }
        for (size_t i = 0; i < rows.size(); ++i) {
            if (rows[i].times.empty()) continue;
            all["rows"].push_back(summary(call, taking_turns[i], rows[i], rows.front()));
            if (!json) print(all["rows"].back());
        }
    }
    if (json) std::cout << all.dump(2) << '\n';
    return done;
}

}  // namespace
}  // namespace ctr::bench

int main(int argc, char** argv) {
    using List = std::vector<std::string>;
    cxxopts::Options options("bench_monitor", "What the monitor costs, measured inside real containers");
    options.add_options()("calls", "which; `load names` lists them",
                          cxxopts::value<List>()->default_value("all"))(
        "modes", "values of --pidns", cxxopts::value<List>()->default_value("host,kernel,flat,multi"))(
        "rounds", "containers for each row", cxxopts::value<int>()->default_value("5"))(
        "milliseconds", "of each container", cxxopts::value<int>()->default_value("200"))(
        "throttle", "a path on the disk to limit", cxxopts::value<std::string>()->default_value(""))(
        "ctr", "binary; may be given more than once", cxxopts::value<List>()->default_value(CTR_BENCH_CTR))(
        "load", "the program inside", cxxopts::value<std::string>()->default_value(CTR_BENCH_LOAD))(
        "json", "for programs")("help", "this");
    options.positional_help("[-- COMMAND...]");
    try {
        const auto parsed = options.parse(argc, argv);
        if (parsed.count("help") != 0) {
            std::cout << options.help();
            return 0;
        }
        return ctr::bench::measure_all(parsed) ? 0 : 1;
    } catch (const std::exception& error) {
        std::cerr << "bench_monitor: " << error.what() << '\n';
        return 2;
    }
}
