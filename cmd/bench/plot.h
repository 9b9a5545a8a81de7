// Plots as SVG: for each subject its samples as dots, their median and its interval. Pure.
#pragma once

#include <string>

#include "cmd/bench/recording.h"

namespace ctr::bench {

// With a title and an axis. Empty: no subject has a value.
std::string plot_svg(const Recording& recording, size_t metric);

std::string escaped(const std::string& text);  // for HTML and SVG

}  // namespace ctr::bench
