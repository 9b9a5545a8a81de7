#include "cmd/bench/report.h"

#include <algorithm>
#include <cmath>

#include "cmd/bench/decimal.h"
#include "cmd/bench/report_parts.h"

namespace ctr::bench {

namespace {

constexpr double told_as_times = 2;  // a larger ratio is none of percents

// "1.2 to 1.8 %", worse end last.
std::string interval(double one, double other) {
    return number(std::min(one, other) * 100, 1) + " to " + number(std::max(one, other) * 100, 1) + " %";
}

}  // namespace

Cell cell_of(const Recording& recording, size_t subject, size_t metric) {
    constexpr size_t again = 1;  // with_again()
    const uint64_t seed = recording.plan.seed;
    const Values reference = recording.values(0, metric);
    const Values values = recording.values(subject, metric);
    Cell cell{summarize(values, seed), {}, {}};
    if (subject == 0 || recording.samples.size() <= again) return cell;
    cell.noise = paired_ratio(recording.values(again, metric), reference, seed);
    const auto ratio = paired_ratio(values, reference, seed);
    if (ratio && cell.noise) cell.comparison = judge(*ratio, *cell.noise, paired_rounds(values, reference));
    return cell;
}

double slowdown(double ratio, Better better) {
    return better == Better::lower ? ratio - 1 : 1 - ratio;
}

std::string slowdown_text(const Comparison& comparison, Better better, size_t rounds) {
    const Estimate& ratio = comparison.ratio;
    switch (comparison.verdict) {
        case Verdict::too_few: return "too few rounds (" + std::to_string(rounds) + ")";
        case Verdict::too_noisy: return "too noisy (" + percent(comparison.unseen) + ")";
        case Verdict::same: return "none measurable (within " + percent(comparison.unseen) + ")";
        case Verdict::differs: break;
    }
    if (better == Better::lower && ratio.value >= told_as_times)
        return number(ratio.value, 1) + " times (" + number(ratio.low, 1) + " to " + number(ratio.high, 1) +
               ")";
    return percent(slowdown(ratio.value, better)) + " (" +
           interval(slowdown(ratio.low, better), slowdown(ratio.high, better)) + ")";
}

std::string significant(double value) {
    constexpr int wanted = 4;
    if (value == 0) return "0";
    const int before = decimal_exponent(std::abs(value)) + 1;
    return number(value, std::clamp(wanted - before, 0, 6));
}

std::string noise_text(const Estimate& ratio, Better better) {
    return percent(slowdown(ratio.value, better)) + " (" +
           interval(slowdown(ratio.low, better), slowdown(ratio.high, better)) + ")";
}

namespace {

std::vector<size_t> metrics_that_are(const Recording& recording, bool shown) {
    const Plan& plan = recording.plan;
    std::vector<size_t> found;
    for (size_t i = 0; i < plan.metrics.size(); ++i) {
        const bool listed = std::ranges::count(plan.shown, plan.metrics[i].name) != 0;
        if ((plan.shown.empty() || listed) == shown) found.push_back(i);
    }
    return found;
}

}  // namespace

std::vector<size_t> shown_metrics(const Recording& recording) {
    return metrics_that_are(recording, true);
}

std::vector<size_t> other_metrics(const Recording& recording) {
    return metrics_that_are(recording, false);
}

std::string title_of(const Metric& metric) {
    return metric.unit.empty() ? metric.name : metric.name + ", " + metric.unit;
}

}  // namespace ctr::bench
