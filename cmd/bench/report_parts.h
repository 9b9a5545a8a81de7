// What the forms of a report have in common.
#pragma once

#include <string>
#include <vector>

#include "cmd/bench/report.h"

namespace ctr::bench {

// Four significant digits.
std::string significant(double value);

// Of the second instance of the reference: how far apart equal things were. Never a verdict.
std::string noise_text(const Estimate& ratio, Better better);

// Which metrics stand in the main table, and which apart from it.
std::vector<size_t> shown_metrics(const Recording& recording);
std::vector<size_t> other_metrics(const Recording& recording);

std::string title_of(const Metric& metric);  // "wall, s"

// "higher is better" and the like, of a recording's metrics; empty: lower is, for all.
std::string directions(const Recording& recording);

// "30 rounds after 1 of warm-up, seed 7, 61 s; interrupted"
std::string pace_text(const Recording& recording);

// Which samples lie far from the others, one line for each metric and subject.
std::vector<std::string> outlier_lines(const Recording& recording);

// Failures and warnings.
std::vector<std::string> trouble_lines(const Recording& recording);

}  // namespace ctr::bench
