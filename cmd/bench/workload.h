// What is measured: a command, and what is to be read from its output. A value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cmd/bench/configuration.h"
#include "runtime/base/error.h"

namespace ctr::bench {

enum class Better { lower, higher };

// A quantity that is measured.
struct Metric {
    std::string name;  // "wall"
    std::string unit;  // "s"
    Better better = Better::lower;
};

// A metric whose value the command prints.
struct Figure {
    Metric metric;
    // POSIX extended regular expression; its first group is the number. The last match in what the command
    // wrote to standard output (then: standard error) counts.
    std::string pattern;
};

struct Workload {
    std::string name = {};  // title of its table
    std::string what = {};  // one line
    Words command = {};
    std::vector<Figure> figures = {};
    std::vector<std::pair<std::string, std::string>> environment = {};  // over the caller's
    std::string directory = {};                                         // empty: the caller's
    // Which of the metrics that every command has stand in its table, beside its figures.
    std::vector<std::string> shown{"wall", "user", "system"};
};

// The number in OUTPUT; nothing: it isn't there.
Result<std::optional<double>> find_figure(const Figure& figure, const std::string& output);

// "UNIT[:higher]=PATTERN" of --figure, for instance 'lps:higher=, ([0-9.]+)/s'.
Result<Figure> parse_figure(const std::string& text);

}  // namespace ctr::bench
