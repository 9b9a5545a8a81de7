#include "cmd/bench/seeds.h"

#include <algorithm>
#include <optional>
#include <set>

#include "cmd/bench/digest.h"
#include "cmd/bench/report_parts.h"
#include "cmd/bench/workloads.h"
#include "cmd/table.h"
#include "runtime/container.h"

namespace ctr::bench {

namespace {

constexpr unsigned quick_rounds = 9;

// A process whose namespaces others share, for as long as this lives.
class Sharer {
  public:
    static Result<Sharer> start() {
        Spec spec;
        spec.command = {"sleep", "infinity"};
        spec.pidns = PidMode::host;
        auto container = Container::start(spec);
        if (!container)
            return std::unexpected(std::move(container.error()).within("start a process to share with"));
        return Sharer(*std::move(container));
    }
    std::string process() const { return std::to_string(raw(container_.init())); }

  private:
    explicit Sharer(Container container) : container_(std::move(container)) {}
    Container container_;
};

// Each once, in the order of the findings, without those that are measured already.
std::vector<std::string> workloads_of(const Seed& seed, const Report& report) {
    std::vector<std::string> names;
    for (const Finding& finding : seed.findings)
        if (std::ranges::find(names, finding.workload) == names.end() &&
            find_recording(report, finding.workload) == nullptr)
            names.emplace_back(finding.workload);
    return names;
}

Status measure_seed(Session& session, const Seed& seed, const std::vector<Configuration>& configurations,
                    const SeedsOptions& options, const Plan& pace) {
    for (const std::string& name : workloads_of(seed, session.report())) {
        if (session.interrupted()) return {};
        const auto workload = make_workload(name, options.quick, options.tree);
        if (!workload) {
            session.skip(name, workload.error().message());
            continue;
        }
        if (auto run = session.run(*workload, configurations, pace); !run)
            return std::unexpected(run.error());
    }
    return {};
}

// "5446 (5410 to 5480)"
std::string with_interval(const Cell& cell) {
    if (!cell.summary) return "-";
    const Estimate& median = cell.summary->median;
    return significant(median.value) + " (" + significant(median.low) + " to " + significant(median.high) +
           ")";
}

std::vector<std::string> found_here(const Finding& finding, const Report& report) {
    const Recording* recording = find_recording(report, finding.workload);
    if (recording == nullptr) {
        const bool skipped = std::ranges::any_of(
            report.skipped, [&](const Skipped& one) { return one.title == finding.workload; });
        return {"-", "-", skipped ? "skipped, see below" : "not measured"};
    }
    const auto metric = find_metric(*recording, finding.metric);
    const auto subject = find_subject(*recording, finding.subject);
    if (!metric || !subject) return {"-", "-", "-"};
    const Cell reference = cell_of(*recording, 0, *metric);
    const Cell cell = cell_of(*recording, *subject, *metric);
    if (recording->failure_of(*subject) != nullptr)
        return {with_interval(reference), "-", "failed, see below"};
    return {with_interval(reference), with_interval(cell),
            cell.comparison
                ? slowdown_text(*cell.comparison, recording->plan.metrics[*metric].better, recording->rounds)
                : "-"};
}

}  // namespace

std::vector<Configuration> configurations_of(Against against, const std::string& sharer) {
    const Configuration host = {.name = "host"};
    const Configuration kernel = {.name = "kernel", .kind = "kernel"};
    std::vector<Configuration> all = {against == Against::kernel ? kernel : host};
    if (against == Against::outside_in_sets) {
        all.push_back({.name = "uts", .kind = "unnumbered", .namespaces = {"-ipc", "-cgroup"}});
        all.push_back({.name = "shared", .kind = "unnumbered", .options = {"--share-with", sharer}});
        return all;
    }
    for (const char* numbering : {"multi:list", "flat", "multi"})
        all.push_back({.name = numbering, .kind = numbering});
    if (against == Against::outside) all.push_back(kernel);
    return all;
}

bool SeedsOptions::wants(const Seed& seed) const {
    return tables.empty() || std::ranges::count(tables, seed.name) != 0;
}

Status measure_seeds(Session& session, const SeedsOptions& options, const Plan& pace) {
    for (const Seed& seed : seeds()) {
        if (session.interrupted()) return {};
        if (!options.wants(seed)) continue;
        Plan plan = pace;
        if (!options.own_rounds) plan.rounds = options.quick ? quick_rounds : seed.rounds;
        if (seed.against == Against::limits) {
            // Who hasn't the right to devices, or none, has the other tables all the same.
            if (auto done = measure_io(session, options.devices, options.quick, plan); !done)
                session.skip(seed.title, done.error().message());
            continue;
        }
        std::optional<Sharer> sharer;
        if (seed.against == Against::outside_in_sets) {
            auto started = Sharer::start();
            if (!started) {
                session.skip(seed.title, started.error().message());
                continue;
            }
            sharer.emplace(*std::move(started));
        }
        const auto configurations = configurations_of(seed.against, sharer ? sharer->process() : "");
        if (auto done = measure_seed(session, seed, configurations, options, plan); !done) return done;
    }
    return {};
}

std::string seed_table(const Seed& seed, const Report& report) {
    if (seed.against == Against::limits) return io_digest(report);
    cmd::Rows rows = {
        {"model", "test", "then: without", "with", "slowdown", "here: without", "with", "slowdown"}};
    for (const Finding& finding : seed.findings) {
        std::vector<std::string> row = {finding.model, std::string(finding.workload) + ", " + finding.unit,
                                        finding.without, finding.with, finding.slowdown};
        const std::vector<std::string> here = found_here(finding, report);
        row.insert(row.end(), here.begin(), here.end());
        rows.push_back(std::move(row));
    }
    return std::string(seed.note) + "\n\n" + cmd::aligned(rows);
}

}  // namespace ctr::bench
