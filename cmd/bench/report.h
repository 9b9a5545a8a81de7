// What a run of `ctr bench` found out, and its forms. Pure: values to texts.
#pragma once

#include <string>
#include <vector>

#include "cmd/bench/machine.h"
#include "cmd/bench/recording.h"
#include "runtime/base/error.h"

namespace ctr::bench {

struct Skipped {
    std::string title;
    std::string why;
};

// What several recordings say together, or one in another layout: made from them, for eyes.
struct Digest {
    std::string title;
    std::string text;
    std::string svg = {};  // a plot, for HTML
};

struct Report {
    Machine machine;
    std::string date;     // RFC 3339, UTC
    std::string command;  // the line that made it
    std::vector<Recording> recordings;
    std::vector<Skipped> skipped;  // what couldn't run here
    std::vector<Digest> digests;   // stand before the recordings
};

// One cell of a table: what is to be said of a subject and a metric.
struct Cell {
    std::optional<Summary> summary;        // none: it failed, or has no such value
    std::optional<Comparison> comparison;  // to the reference; none for the reference itself
    std::optional<Estimate> noise;         // of the second instance of the reference
};
Cell cell_of(const Recording& recording, size_t subject, size_t metric);

// How much worse, as in "slowdown": 0.015 for 1.5 %; negative: better.
double slowdown(double ratio, Better better);

// "1.5 % (1.2 to 1.8 %)", "none measurable (within 0.6 %)", "too noisy (4.1 %)", "too few rounds (3)".
std::string slowdown_text(const Comparison& comparison, Better better, size_t rounds);

// Tables as in the mailing lists' postings: a configuration's row, and its slowdown below it.
std::string as_text(const Report& report);
std::string table_text(const Recording& recording);  // of one recording, without the machine

// With all samples; parse_report() reads it again.
std::string as_json(const Report& report);
Result<Report> parse_report(const std::string& text);

// One line for each sample: title, metric, unit, subject, round, value, outlier.
std::string as_csv(const Report& report);

// A page that needs nothing else, with a plot for each metric: a dot for each sample, median and interval.
std::string as_html(const Report& report);

// What gnuplot reads to draw the same. TERMINAL: "svg" or "png"; FILE: where to.
std::string as_gnuplot(const Report& report, const std::string& terminal, const std::string& file);

// Two reports side by side: what of their machines differs, and the ratios of their medians.
std::string compare_text(const Report& before, const Report& after);

}  // namespace ctr::bench
