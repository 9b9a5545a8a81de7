#include "cmd/bench/scaling.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cmd/bench/curves.h"
#include "cmd/bench/digest.h"
#include "cmd/bench/programs.h"
#include "cmd/bench/report_parts.h"
#include "cmd/table.h"

namespace ctr::bench {

namespace {

const Figure per_second = {{"lps", "lps", Better::higher}, ": ([0-9.]+) lps"};
const Figure time_of_all = {{"all", "s", Better::lower}, "parallel: ([0-9.]+) s"};

// The numberings that are compared with the host.
constexpr const char* modes[] = {"flat", "multi", "kernel"};

std::string title_of_point(const Axis& axis, unsigned x) {
    return std::string(axis.name) + ' ' + std::to_string(x);
}

const std::vector<unsigned>& points_of(const Axis& axis, bool quick) {
    return quick ? axis.quick : axis.full;
}

std::vector<Configuration> configurations(unsigned depth) {
    std::vector<Configuration> all = {{.name = "host"}};
    for (const char* mode : modes) all.push_back({.name = mode, .kind = mode, .depth = depth});
    return all;
}

Result<Workload> own_workload(const std::string& title, const std::string& program, const Words& arguments,
                              const Figure& figure) {
    auto path = own_program(program);
    if (!path) return std::unexpected(std::move(path).error());
    Workload workload{.name = title, .command = {*path}, .figures = {figure}};
    workload.command.insert(workload.command.end(), arguments.begin(), arguments.end());
    return workload;
}

Status run_in_configurations(Session& session, const Result<Workload>& workload, unsigned depth,
                             const Plan& pace) {
    if (!workload) return std::unexpected(workload.error());
    if (auto run = session.run(*workload, configurations(depth), pace); !run)
        return std::unexpected(run.error());
    return {};
}

Status measure_depth(Session& session, const std::string& title, unsigned depth, bool quick,
                     const Plan& pace) {
    return run_in_configurations(
        session, own_workload(title, "spawn", {quick ? "1000" : "10000"}, per_second), depth, pace);
}

Status measure_live(Session& session, const std::string& title, unsigned live, bool quick, const Plan& pace) {
    if (const std::string why = too_many_processes(live); !why.empty()) {
        session.skip(title, why);
        return {};
    }
    return run_in_configurations(
        session, own_workload(title, "crowd", {std::to_string(live), quick ? "1000" : "5000"}, per_second), 1,
        pace);
}

// From outside, the containers are commands like any other: each subject has its own, and is measured like
// the host.
Status measure_parallel(Session& session, const std::string& title, unsigned count, bool quick,
                        const Plan& pace) {
    constexpr unsigned processes_of_one = 8;
    if (const std::string why = too_many_processes(count * processes_of_one); !why.empty()) {
        session.skip(title, why);
        return {};
    }
    const auto spawn = own_program("spawn");
    if (!spawn) return std::unexpected(spawn.error());
    std::error_code ignored;
    const std::string ctr = std::filesystem::read_symlink("/proc/self/exe", ignored);
    const std::vector<Configuration> all = configurations(1);
    std::vector<Workload> workloads;
    for (const Configuration& one : all) {
        Words arguments = {std::to_string(count)};
        const Words line = command_line(one, ctr, {*spawn, quick ? "100" : "500"});
        arguments.insert(arguments.end(), line.begin(), line.end());
        auto workload = own_workload(title, "parallel", arguments, time_of_all);
        if (!workload) return std::unexpected(std::move(workload).error());
        workloads.push_back(*std::move(workload));
    }
    Plan plan = pace;
    plan.title = title;
    plan.metrics = metrics_of(workloads.front());
    plan.subjects = subjects_of(all);
    plan.shown = {"all", "user", "system"};
    session.run(plan, [&](size_t instance) -> Result<Sample> {
        auto measured = session.measurer().measure(all.front(), workloads[instance == 0 ? 0 : instance - 1]);
        if (!measured) return std::unexpected(std::move(measured).error());
        return std::move(measured->sample);
    });
    return {};
}

struct Measure {
    const char* axis;
    Status (*run)(Session&, const std::string& title, unsigned x, bool quick, const Plan&);
};
constexpr Measure measures[] = {
    {"depth", measure_depth}, {"live", measure_live}, {"parallel", measure_parallel}};

unsigned long number_in(const std::string& file) {
    unsigned long value = 0;
    std::ifstream(file) >> value;
    return value;
}

// The points that there are recordings of.
std::vector<std::pair<unsigned, const Recording*>> recorded(const Axis& axis, const Report& report) {
    std::vector<std::pair<unsigned, const Recording*>> found;
    for (const unsigned x : axis.full)
        if (const Recording* recording = find_recording(report, title_of_point(axis, x)))
            if (recording->rounds > 0) found.emplace_back(x, recording);
    return found;
}

// Behind those that every command has.
size_t figure_of(const Recording& recording) {
    return recording.plan.metrics.size() - 1;
}

}  // namespace

const std::vector<Axis>& axes() {
    static const std::vector<Axis> all = {{"depth",
                                           "containers in containers",
                                           "a process made, ended and waited for, so deep",
                                           {1, 8, 31},
                                           {1, 2, 4, 8, 16, 31}},
                                          {"live",
                                           "processes that live meanwhile",
                                           "the same, beside so many others",
                                           {10, 100, 1000},
                                           {10, 100, 1000, 10000, 30000}},
                                          {"parallel",
                                           "containers at once",
                                           "so many that start, make processes and end",
                                           {1, 10, 50},
                                           {1, 2, 5, 10, 20, 50, 100, 200}}};
    return all;
}

std::string too_many_processes(unsigned long count, const std::string& root) {
    constexpr unsigned long reserve = 500;  // that others may need
    for (const char* name : {"pid_max", "threads-max"}) {
        const std::string file = "/proc/sys/kernel/" + std::string(name);
        const unsigned long most = number_in(root + file);
        if (most != 0 && count + reserve > most)
            return file + " is " + std::to_string(most) + ", too few for " + std::to_string(count) +
                   " processes";
    }
    rlimit limit{};
    if (geteuid() != 0 && getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        count + reserve > limit.rlim_cur)
        return "ulimit -u is " + std::to_string(limit.rlim_cur) + ", too few for " + std::to_string(count) +
               " processes";
    constexpr unsigned long kib_of_one = 100;
    std::ifstream memory(root + "/proc/meminfo");
    for (std::string word; memory >> word;) {
        unsigned long free = 0;
        if (word == "MemAvailable:" && memory >> free && count * kib_of_one > free)
            return std::to_string(count) + " processes take about " +
                   std::to_string(count * kib_of_one / 1024) + " MiB of memory, and " +
                   std::to_string(free / 1024) + " are free";
    }
    return {};
}

Status measure_along(Session& session, const Axis& axis, bool quick, const Plan& pace) {
    const auto* const measure = std::ranges::find(measures, std::string(axis.name),
                                                  [](const Measure& one) { return std::string(one.axis); });
    for (const unsigned x : points_of(axis, quick)) {
        if (session.interrupted()) return {};
        if (auto done = measure->run(session, title_of_point(axis, x), x, quick, pace); !done) return done;
    }
    return {};
}

std::string scaling_table(const Axis& axis, const Report& report) {
    const auto points = recorded(axis, report);
    if (points.empty()) return {};
    cmd::Rows rows = {{axis.title}};
    const Recording& first = *points.front().second;
    rows.front().push_back("host, " + first.plan.metrics[figure_of(first)].unit);
    for (const char* mode : modes) rows.front().insert(rows.front().end(), {mode, "slowdown"});
    for (const auto& [x, recording] : points) {
        std::vector<std::string> row = {std::to_string(x)};
        const size_t metric = figure_of(*recording);
        const Cell host = cell_of(*recording, 0, metric);
        row.push_back(host.summary ? significant(host.summary->median.value) : "-");
        for (const char* mode : modes) {
            const auto subject = find_subject(*recording, mode);
            const Cell cell = subject ? cell_of(*recording, *subject, metric) : Cell{};
            const bool failed = subject && recording->failure_of(*subject) != nullptr;
            row.push_back(failed || !cell.summary ? "-" : significant(cell.summary->median.value));
            row.push_back(failed ? "failed, see below"
                          : cell.comparison
                              ? slowdown_text(*cell.comparison, recording->plan.metrics[metric].better,
                                              recording->rounds)
                              : "-");
        }
        rows.push_back(std::move(row));
    }
    return std::string(axis.what) + "\n\n" + cmd::aligned(rows);
}

std::string scaling_svg(const Axis& axis, const Report& report) {
    const auto points = recorded(axis, report);
    if (points.empty()) return {};
    std::vector<unsigned> xs;
    std::vector<Curve> curves = {{"host", {}}};
    for (const char* mode : modes) curves.push_back({mode, {}});
    std::string unit;
    for (const auto& [x, recording] : points) {
        xs.push_back(x);
        unit = recording->plan.metrics[figure_of(*recording)].unit;
        for (Curve& curve : curves) {
            const auto subject = find_subject(*recording, curve.name);
            const Cell cell = subject ? cell_of(*recording, *subject, figure_of(*recording)) : Cell{};
            curve.values.push_back(cell.summary ? std::optional(cell.summary->median.value) : std::nullopt);
        }
    }
    return curves_svg(std::string(axis.what) + ", " + unit, axis.title, xs, curves);
}

}  // namespace ctr::bench
