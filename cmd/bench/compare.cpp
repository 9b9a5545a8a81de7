#include <algorithm>
#include <cmath>

#include "cmd/bench/report.h"
#include "cmd/bench/report_parts.h"
#include "cmd/table.h"

namespace ctr::bench {

namespace {

const Recording* recording_of(const Report& report, const std::string& title) {
    for (const Recording& recording : report.recordings)
        if (recording.plan.title == title) return &recording;
    return nullptr;
}

template <class Named>
std::optional<size_t> index_of(const std::vector<Named>& among, const std::string& name) {
    const auto found = std::ranges::find(among, name, &Named::name);
    if (found == among.end()) return {};
    return static_cast<size_t>(found - among.begin());
}

std::string machines_text(const Machine& before, const Machine& after, size_t& differences) {
    cmd::Rows rows{{"machine", "before", "after"}};
    for (const Fact& fact : before.facts) {
        const Fact* other = after.find(fact.name);
        const std::string value = other == nullptr ? "?" : other->value;
        if (value == fact.value) continue;
        rows.push_back({fact.name, fact.value, value});
        differences += fact.passing ? 0 : 1;
    }
    for (const Fact& fact : after.facts)
        if (before.find(fact.name) == nullptr) rows.push_back({fact.name, "?", fact.value});
    return rows.size() == 1 ? "The machines' records are the same.\n" : cmd::aligned(rows);
}

// Nothing pairs the rounds of two runs, so there is no noise row: what has changed between them is in the
// ratio, whatever the reason was.
std::string change_text(const Estimate& ratio, Better better) {
    const bool differs = ratio.low > 1 || ratio.high < 1;
    if (differs) return noise_text(ratio, better);
    const double unseen = std::max(std::abs(ratio.low - 1), std::abs(ratio.high - 1));
    return (unseen <= tolerable ? "none measurable (within " : "too noisy (") + percent(unseen) + ')';
}

std::string median_text(const Values& values, uint64_t seed) {
    const auto summary = summarize(values, seed);
    return summary ? significant(summary->median.value) : "-";
}

void add_rows(const Recording& before, const Recording& after, size_t metric_before, cmd::Rows& rows) {
    const Metric& metric = before.plan.metrics[metric_before];
    const auto metric_after = index_of(after.plan.metrics, metric.name);
    if (!metric_after || after.plan.metrics[*metric_after].unit != metric.unit) return;
    for (size_t i = 0; i < before.plan.subjects.size(); ++i) {
        const auto other = index_of(after.plan.subjects, before.plan.subjects[i].name);
        if (!other) continue;
        const Values ours = before.values(i, metric_before);
        const Values theirs = after.values(*other, *metric_after);
        const auto ratio = unpaired_ratio(theirs, ours, before.plan.seed);
        const bool few = std::min(before.rounds, after.rounds) < least_rounds;
        rows.push_back({title_of(metric), before.plan.subjects[i].name, median_text(ours, before.plan.seed),
                        median_text(theirs, before.plan.seed),
                        !ratio ? "-"
                        : few  ? "too few rounds"
                               : change_text(*ratio, metric.better)});
    }
}

std::string missing(const Report& from, const Report& in, const char* where) {
    std::string text;
    for (const Recording& recording : from.recordings)
        if (recording_of(in, recording.plan.title) == nullptr)
            text += '"' + recording.plan.title + "\" is only in the report " + where + ".\n";
    return text;
}

}  // namespace

std::string compare_text(const Report& before, const Report& after) {
    size_t differences = 0;
    std::string text = "before: " + before.date + "  " + before.command + "\nafter:  " + after.date + "  " +
                       after.command + "\n\n" + machines_text(before.machine, after.machine, differences);
    if (differences > 0)
        text += "Beware: the machines differ, and with them perhaps the figures, whatever ctr does.\n";
    for (const auto& [when, report] : {std::pair("before", &before), std::pair("after", &after)})
        if (const std::string why = busy(report->machine); !why.empty())
            text += "Beware, " + std::string(when) + ": " + why + ".\n";
    for (const Recording& recording : before.recordings) {
        const Recording* other = recording_of(after, recording.plan.title);
        if (other == nullptr) continue;
        cmd::Rows rows{{"metric", "configuration", "before", "after", "slowdown"}};
        for (size_t metric = 0; metric < recording.plan.metrics.size(); ++metric)
            add_rows(recording, *other, metric, rows);
        text += '\n' + recording.plan.title + '\n' + cmd::aligned(rows);
    }
    return text + missing(before, after, "before") + missing(after, before, "after");
}

}  // namespace ctr::bench
