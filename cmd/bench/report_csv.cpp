#include <algorithm>

#include "cmd/bench/report.h"

namespace ctr::bench {

namespace {

// RFC 4180.
std::string field(const std::string& text) {
    if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char letter : text) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
    return quoted + '"';
}

std::string lines_of(const Recording& recording, size_t subject, size_t metric) {
    const Plan& plan = recording.plan;
    const Values values = recording.values(subject, metric);
    const auto summary = summarize(values, plan.seed);
    std::string lines;
    for (size_t round = 0; round < values.size(); ++round) {
        if (!values[round]) continue;
        const bool outlier = std::ranges::count(summary->outliers, round) != 0;
        lines += field(plan.title) + ',' + field(plan.metrics[metric].name) + ',' +
                 field(plan.metrics[metric].unit) + ',' + field(plan.subjects[subject].name) + ',' +
                 std::to_string(round + 1) + ',' + number(*values[round], 9) + ',' + (outlier ? "1" : "0") +
                 '\n';
    }
    return lines;
}

}  // namespace

std::string as_csv(const Report& report) {
    std::string text = "title,metric,unit,configuration,round,value,outlier\n";
    for (const Recording& recording : report.recordings)
        for (size_t metric = 0; metric < recording.plan.metrics.size(); ++metric)
            for (size_t subject = 0; subject < recording.plan.subjects.size(); ++subject)
                text += lines_of(recording, subject, metric);
    return text;
}

}  // namespace ctr::bench
