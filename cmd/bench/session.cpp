#include "cmd/bench/session.h"

#include <algorithm>
#include <limits>
#include <random>
#include <set>

#include "cmd/bench/progress.h"
#include "cmd/values.h"
#include "runtime/state.h"

namespace ctr::bench {

namespace {

constexpr int exit_failed = 1;
constexpr int exit_interrupted = 128 + SIGINT;
constexpr uint32_t most_rounds = 1'000'000;
constexpr uint32_t most_seconds = 7 * 24 * 3600;

struct OutputOption {
    const char* name;
    std::string Outputs::*where;
};
constexpr OutputOption output_options[] = {{"json", &Outputs::json},
                                           {"csv", &Outputs::csv},
                                           {"html", &Outputs::html},
                                           {"svg", &Outputs::svg},
                                           {"png", &Outputs::png}};

auto number_of(const char* option, uint32_t least, uint32_t most) {
    return [=](const std::string& text) { return cmd::parse_number(option, text, least, most); };
}

Status check_names(const std::vector<Configuration>& configurations) {
    std::set<std::string> names;
    for (const Configuration& one : configurations)
        if (!names.insert(one.name).second)
            return fail_input("read the configurations", '"' + one.name + "\" is there twice",
                              "NAME=... in front of one of them");
    return {};
}

}  // namespace

Result<Outputs> take_outputs(const cmd::Given& given) {
    Outputs outputs;
    for (const OutputOption& option : output_options) {
        const auto not_empty = [&](const std::string& text) -> Result<std::string> {
            if (!text.empty()) return text;
            return fail_input(std::string("read --") + option.name, "the value is empty");
        };
        if (auto taken = given.take(option.name, outputs.*option.where, not_empty); !taken)
            return std::unexpected(taken.error());
    }
    if (auto good = check(outputs); !good) return std::unexpected(good.error());
    return outputs;
}

Status take_pace(const cmd::Given& given, Plan& plan) {
    uint32_t seconds = 0;
    uint32_t seed = std::random_device()();
    // A time alone is all that counts.
    if (!given.of("time").empty() && given.of("rounds").empty()) plan.rounds = 0;
    Status statuses[] = {
        given.take("rounds", plan.rounds, number_of("rounds", 1, most_rounds)),
        given.take("warmup", plan.warmup, number_of("warmup", 0, most_rounds)),
        given.take("time", seconds, number_of("time", 1, most_seconds)),
        given.take("seed", seed, number_of("seed", 0, std::numeric_limits<uint32_t>::max())),
    };
    for (Status& status : statuses)
        if (!status) return std::move(status);
    if (seconds > 0) plan.time = std::chrono::seconds(seconds);
    plan.seed = seed;
    return {};
}

Result<Session> Session::begin(std::string command, bool ahead) {
    auto interrupt = Interrupt::make();
    if (!interrupt) return std::unexpected(interrupt.error());
    auto measurer = Measurer::make(interrupt->descriptor(), ahead);
    if (!measurer) return std::unexpected(measurer.error());
    Report report;
    report.machine = look_at_machine();
    report.date = timestamp();
    report.command = std::move(command);
    return Session(std::move(*interrupt), std::move(*measurer), std::move(report));
}

Result<const Recording*> Session::run(const Workload& workload,
                                      const std::vector<Configuration>& configurations, const Plan& pace) {
    if (auto good = check_names(configurations); !good) return std::unexpected(good.error());
    Plan plan = pace;
    plan.title = workload.name;
    plan.metrics = metrics_of(workload);
    plan.subjects = subjects_of(configurations);
    plan.shown = workload.shown;
    for (const Figure& figure : workload.figures) plan.shown.push_back(figure.metric.name);
    std::set<std::string> notes;
    const Sampler sampler = [&](size_t instance) -> Result<Sample> {
        const Configuration& configuration = configurations[instance == 0 ? 0 : instance - 1];
        auto measured = measurer_.measure(configuration, workload);
        if (!measured) return std::unexpected(std::move(measured).error());
        for (const std::string& warning : measured->warnings)
            notes.insert(configuration.name + ": " + warning);
        return std::move(measured->sample);
    };
    run(plan, sampler);
    Recording& recording = report_.recordings.back();
    recording.notes.assign(notes.begin(), notes.end());
    return &recording;
}

const Recording& Session::run(const Plan& plan, const Sampler& sampler) {
    ProgressLine line;
    Surroundings surroundings;
    surroundings.stopped = [this] { return interrupted(); };
    surroundings.progress = [&](const Position& position) { line.show(progress_text(plan.title, position)); };
    report_.recordings.push_back(record(plan, sampler, surroundings));
    return report_.recordings.back();
}

void Session::skip(std::string title, std::string why) {
    report_.skipped.push_back({std::move(title), std::move(why)});
}

Result<int> Session::finish(const Outputs& outputs) {
    look_again(report_.machine);
    if (auto written = write_outputs(report_, outputs); !written) return std::unexpected(written.error());
    if (interrupted()) return exit_interrupted;
    const bool failed =
        std::ranges::any_of(report_.recordings, [](const Recording& one) { return !one.failures.empty(); });
    return failed ? exit_failed : 0;
}

Result<Session> begin_session(const cmd::Given& given, std::string line) {
    bool ahead = false;
    if (auto taken = given.take_flag("ahead", ahead); !taken) return std::unexpected(taken.error());
    return Session::begin(std::move(line), ahead);
}

}  // namespace ctr::bench
