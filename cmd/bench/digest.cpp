#include "cmd/bench/digest.h"

#include <algorithm>

#include "cmd/table.h"

namespace ctr::bench {

namespace {

template <class Range>
std::optional<size_t> index_of(const Range& range, const std::string& name) {
    const auto found = std::ranges::find(range, name, [](const auto& one) { return one.name; });
    if (found == range.end()) return {};
    return static_cast<size_t>(found - range.begin());
}

}  // namespace

const Recording* find_recording(const Report& report, const std::string& title) {
    const auto found =
        std::ranges::find(report.recordings, title, [](const Recording& one) { return one.plan.title; });
    return found == report.recordings.end() ? nullptr : &*found;
}

std::optional<size_t> find_subject(const Recording& recording, const std::string& name) {
    return index_of(recording.plan.subjects, name);
}

std::optional<size_t> find_metric(const Recording& recording, const std::string& name) {
    return index_of(recording.plan.metrics, name);
}

constexpr double told_exactly = 1000;  // below it

std::string spread_table(const Recording& recording, size_t metric) {
    const Metric& what = recording.plan.metrics[metric];
    cmd::Rows rows = {{what.name + ", " + what.unit, "min", "avg", "max", "sdev", "spread", "overhead"}};
    for (size_t subject = 0; subject < recording.plan.subjects.size(); ++subject) {
        const Cell cell = cell_of(recording, subject, metric);
        std::vector<std::string> row = {recording.plan.subjects[subject].name};
        if (!cell.summary) {
            const Failure* failure = recording.failure_of(subject);
            row.insert(row.end(), {"-", "-", "-", "-", "-", failure != nullptr ? "failed" : "-"});
        } else {
            for (const double value : {cell.summary->least, cell.summary->mean, cell.summary->most,
                                       cell.summary->deviation, cell.summary->most - cell.summary->least})
                row.push_back(number(value, value < told_exactly ? 3 : 0));
            row.push_back(cell.comparison ? slowdown_text(*cell.comparison, what.better, recording.rounds)
                                          : "-");
        }
        rows.push_back(std::move(row));
    }
    return cmd::aligned(rows);
}

}  // namespace ctr::bench
