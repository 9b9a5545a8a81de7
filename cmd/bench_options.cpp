#include "cmd/bench_options.h"

#include <algorithm>

namespace ctr::cmd {

namespace {

constexpr const char* what = "What is measured";
constexpr const char* pace = "How often";
constexpr const char* reports = "Reports, beside the text (-: in its place, on standard output)";
constexpr const char* other = "Other";

struct Taken {
    const char* verb;
    std::vector<std::string> groups;
};
const std::vector<Taken>& taken() {
    static const std::vector<Taken> table = {{"run", {what, pace, reports, other}}, {"compare", {other}}};
    return table;
}

}  // namespace

const std::vector<Option>& bench_options() {
    using enum Takes;
    static const std::vector<Option> table = [] {
        std::vector<Option> options = {
            {what, "c", "config", value, "CONFIG",
             "what to run it under, once for each; host is always there (default: host, flat, multi, kernel)",
             "host unnumbered flat multi multi:list kernel"},
            {what, "", "reference", value, "NAME", "what the others are compared with (default: host)"},
            {what, "", "workload", value, "NAME",
             "one that comes with ctr in place of a command: spawn, execl, "
             "threads, ps",
             "spawn execl threads ps"},
            {what, "", "quick", nothing, "", "workloads in a smaller size"},
            {what, "", "figure", value, "UNIT[:higher]=PATTERN",
             "a number that the command prints: what the first group of an extended regular expression "
             "matches; "
             "higher: more is better"},
            {pace, "", "rounds", value, "N", "samples of each configuration (default: 30)"},
            {pace, "", "time", value, "SECONDS", "end after the round in which this is over"},
            {pace, "", "warmup", value, "N", "rounds before them that don't count (default: 1)"},
            {pace, "", "ahead", nothing, "",
             "on a busy machine: what is measured runs ahead of all else (SCHED_FIFO), as root"},
            {pace, "", "seed", value, "N",
             "of the order and the statistics (default: another one each time)"},
            {reports, "", "json", value, "FILE", "everything, with all samples, for ctr bench compare too",
             "<file>"},
            {reports, "", "csv", value, "FILE", "all samples", "<file>"},
            {reports, "", "html", value, "FILE", "a page with tables and plots that needs nothing else",
             "<file>"},
            {reports, "", "svg", value, "FILE", "plots, by gnuplot", "<file>"},
            {reports, "", "png", value, "FILE", "the same", "<file>"},
        };
        append_common(options, other);
        return options;
    }();
    return table;
}

const std::vector<std::string>& bench_verbs() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const Taken& one : taken()) all.emplace_back(one.verb);
        return all;
    }();
    return names;
}

bool bench_verb_takes(const std::string& verb, const Option& option) {
    const auto row = std::ranges::find_if(taken(), [&](const Taken& one) { return verb == one.verb; });
    return row != taken().end() && std::ranges::count(row->groups, option.group) != 0;
}

}  // namespace ctr::cmd
