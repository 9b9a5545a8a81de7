#include "cmd/bench/plot.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "cmd/bench/decimal.h"
#include "cmd/bench/report_parts.h"

namespace ctr::bench {

namespace {

constexpr double width = 760;
constexpr double labels = 170;  // of it, at the left
constexpr double margin = 20;
constexpr double row_height = 34;
constexpr double head = 26;
constexpr double foot = 34;
constexpr int wanted_ticks = 6;

struct Axis {
    double least = 0;
    double most = 1;
    double step = 1;

    double x(double value) const {
        return labels + (value - least) / (most - least) * (width - labels - margin);
    }
};

// Steps of 1, 2 or 5 times a power of ten.
double nice_step(double span) {
    const double rough = span / wanted_ticks;
    const double power = power_of_ten(decimal_exponent(rough));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= rough) return factor * power;
    return 10 * power;
}

Axis axis_over(double least, double most) {
    const double span = most > least ? most - least : std::max(std::abs(most), 1.0) / 10;
    const double step = nice_step(span);
    const double begin = multiple_below(least, step);
    return {begin, multiple_below(least + span, step) + step, step};
}

std::string coordinate(double value) {
    return number(value, 1);
}

std::string line(double x1, double y1, double x2, double y2, std::string_view kind) {
    return "<line x1=\"" + coordinate(x1) + "\" y1=\"" + coordinate(y1) + "\" x2=\"" + coordinate(x2) +
           "\" y2=\"" + coordinate(y2) + "\" class=\"" + std::string(kind) + "\"/>\n";
}

std::string words(double x, double y, std::string_view kind, const std::string& text) {
    return "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" class=\"" + std::string(kind) +
           "\">" + escaped(text) + "</text>\n";
}

// Beside each other, so that dots don't hide dots; always the same for the same round.
double beside(size_t round) {
    constexpr size_t lanes = 5;
    constexpr double distance = 4;
    return (static_cast<double>(round * 2 % lanes) - (lanes - 1) / 2.0) * distance;
}

std::string row(const Axis& axis, double y, const std::string& name, const Values& values,
                const Summary& summary) {
    std::string svg = words(labels - 10, y + 4, "name", name);
    for (size_t round = 0; round < values.size(); ++round) {
        if (!values[round]) continue;
        const bool outlier = std::ranges::count(summary.outliers, round) != 0;
        svg += "<circle cx=\"" + coordinate(axis.x(*values[round])) + "\" cy=\"" +
               coordinate(y + beside(round)) + "\" r=\"2\" class=\"" + (outlier ? "outlier" : "dot") +
               "\"/>\n";
    }
    svg += line(axis.x(summary.median.low), y, axis.x(summary.median.high), y, "interval");
    const double middle = axis.x(summary.median.value);
    return svg + line(middle, y - row_height / 3, middle, y + row_height / 3, "median");
}

std::string ticks(const Axis& axis, double bottom) {
    std::string svg;
    const int digits = std::max(0, -decimal_exponent(axis.step));
    const double end = axis.most + axis.step / 2;  // sums of steps aren't exact
    double value = axis.least;
    for (int i = 1; value < end; value = axis.least + i++ * axis.step) {
        svg += line(axis.x(value), head, axis.x(value), bottom, "grid");
        svg += words(axis.x(value), bottom + 16, "tick", number(value, digits));
    }
    return svg;
}

}  // namespace

std::string escaped(const std::string& text) {
    std::string safe;
    for (const char letter : text) switch (letter) {
            case '&': safe += "&amp;"; break;
            case '<': safe += "&lt;"; break;
            case '>': safe += "&gt;"; break;
            case '"': safe += "&quot;"; break;
            default: safe += letter;
        }
    return safe;
}

std::string plot_svg(const Recording& recording, size_t metric) {
    const Plan& plan = recording.plan;
    std::vector<std::optional<Summary>> summaries;
    std::vector<double> ends;
    for (size_t i = 0; i < plan.subjects.size(); ++i) {
        summaries.push_back(summarize(recording.values(i, metric), plan.seed));
        if (summaries.back()) ends.insert(ends.end(), {summaries.back()->least, summaries.back()->most});
    }
    if (ends.empty()) return {};
    const Axis axis = axis_over(std::ranges::min(ends), std::ranges::max(ends));
    const double bottom = head + row_height * static_cast<double>(plan.subjects.size());
    std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + coordinate(width) + ' ' +
                      coordinate(bottom + foot) + "\" role=\"img\">\n";
    svg += words(labels, 16, "title", title_of(plan.metrics[metric])) + ticks(axis, bottom);
    for (size_t i = 0; i < plan.subjects.size(); ++i) {
        const double y = head + row_height * (static_cast<double>(i) + 0.5);
        svg += summaries[i] ? row(axis, y, plan.subjects[i].name, recording.values(i, metric), *summaries[i])
                            : words(labels - 10, y + 4, "name", plan.subjects[i].name + ": no value");
    }
    return svg + "</svg>\n";
}

}  // namespace ctr::bench
