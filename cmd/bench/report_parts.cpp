#include "cmd/bench/report_parts.h"

#include <algorithm>

namespace ctr::bench {

namespace {

constexpr size_t most_named = 8;  // of the outliers in a line

}  // namespace

std::string directions(const Recording& recording) {
    std::string text;
    for (const Metric& metric : recording.plan.metrics)
        if (metric.better == Better::higher) text += (text.empty() ? "" : ", ") + metric.name;
    return text.empty() ? text : "higher is better: " + text;
}

std::string pace_text(const Recording& recording) {
    const Plan& plan = recording.plan;
    std::string text = std::to_string(recording.rounds) + " rounds after " + std::to_string(plan.warmup) +
                       " of warm-up, each in an order drawn anew (seed " + std::to_string(plan.seed) + "), " +
                       number(recording.seconds, 0) + " s";
    if (recording.interrupted) text += "; interrupted: this is what was measured until then";
    return text;
}

std::vector<std::string> outlier_lines(const Recording& recording) {
    std::vector<std::string> lines;
    const Plan& plan = recording.plan;
    for (const size_t metric : shown_metrics(recording))
        for (size_t subject = 0; subject < plan.subjects.size(); ++subject) {
            const auto summary = summarize(recording.values(subject, metric), plan.seed);
            if (!summary || summary->outliers.empty()) continue;
            const size_t count = summary->outliers.size();
            std::string rounds = std::to_string(count) + " of " + std::to_string(summary->count) + ", round ";
            for (size_t i = 0; i < std::min(count, most_named); ++i)
                rounds += (i == 0 ? "" : ", ") + std::to_string(summary->outliers[i] + 1);
            if (count > most_named) rounds += " ...";
            lines.push_back(plan.metrics[metric].name + ", " + plan.subjects[subject].name + ": " + rounds);
        }
    return lines;
}

std::vector<std::string> trouble_lines(const Recording& recording) {
    std::vector<std::string> lines;
    lines.reserve(recording.failures.size() + recording.notes.size());
    for (const Failure& failure : recording.failures)
        lines.push_back(recording.plan.subjects.at(failure.subject).name + " failed in round " +
                        std::to_string(failure.round + 1) + ": " + failure.why);
    lines.insert(lines.end(), recording.notes.begin(), recording.notes.end());
    return lines;
}

}  // namespace ctr::bench
