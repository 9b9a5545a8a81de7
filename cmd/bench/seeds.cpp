#include "cmd/bench/seeds.h"

#include <algorithm>
#include <set>

#include "cmd/bench/digest.h"
#include "cmd/bench/report_parts.h"
#include "cmd/bench/workloads.h"
#include "cmd/table.h"
#include "runtime/container.h"

namespace ctr::bench {

namespace {

constexpr unsigned quick_rounds = 8;
constexpr unsigned mkfs_rounds = 30;

std::vector<Configuration> pid_configurations() {
    return {{.name = "host"},
            {.name = "multi:list", .kind = "multi:list"},
            {.name = "flat", .kind = "flat"},
            {.name = "multi", .kind = "multi"},
            {.name = "kernel", .kind = "kernel"}};
}

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

std::vector<Configuration> set_configurations(const Sharer& sharer) {
    return {{.name = "host"},
            {.name = "uts", .kind = "unnumbered"},
            {.name = "shared",
             .kind = "unnumbered",
             .options = {"--share-with", sharer.process() + ":mount,uts,ipc,cgroup"}}};
}

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
                    bool quick, const std::string& tree, const Plan& pace) {
    for (const std::string& name : workloads_of(seed, session.report())) {
        if (session.interrupted()) return {};
        const auto workload = make_workload(name, quick, tree);
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
    if (recording == nullptr) return {"-", "-", "skipped, see below"};
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

Status measure_seeds(Session& session, const IoOptions& devices, bool quick, const std::string& tree,
                     const Plan& pace, bool own_rounds) {
    const auto paced = [&](unsigned rounds) {
        Plan plan = pace;
        if (!own_rounds) plan.rounds = quick ? quick_rounds : rounds;
        return plan;
    };
    const auto sharer = Sharer::start();
    if (!sharer) return std::unexpected(sharer.error());
    const std::vector<Configuration> sets = set_configurations(*sharer);
    for (const Seed& seed : seeds()) {
        const bool of_sets = &seed == &seeds().back();
        if (auto done = measure_seed(session, seed, of_sets ? sets : pid_configurations(), quick, tree,
                                     paced(seed.rounds));
            !done)
            return done;
    }
    if (session.interrupted()) return {};
    // What hasn't the right to devices, or none, has the other tables all the same.
    if (auto done = measure_io(session, devices, quick, paced(mkfs_rounds)); !done)
        session.skip(mkfs_title, done.error().message());
    return {};
}

std::string seed_table(const Seed& seed, const Report& report) {
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
