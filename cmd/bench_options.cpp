#include "cmd/bench_options.h"

#include <algorithm>

namespace ctr::cmd {

namespace {

constexpr const char* what = "What is measured";
constexpr const char* tables = "Tables (seeds)";
constexpr const char* size = "Size of what comes with ctr (run, seeds, io, scaling)";
constexpr const char* kernel = "Kernel to build (run, seeds)";
constexpr const char* devices = "Devices to write over (io, seeds)";
constexpr const char* axis = "Growth (scaling)";
constexpr const char* pace = "How often";
constexpr const char* reports = "Reports, beside the text (-: in its place, on standard output)";
constexpr const char* other = "Other";

struct Taken {
    const char* verb;
    std::vector<std::string> groups;
};
const std::vector<Taken>& taken() {
    static const std::vector<Taken> table = {{"run", {what, size, kernel, pace, reports, other}},
                                             {"compare", {other}},
                                             {"seeds", {tables, size, kernel, devices, pace, reports, other}},
                                             {"io", {size, devices, pace, reports, other}},
                                             {"scaling", {size, axis, pace, reports, other}},
                                             {"list", {other}}};
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
             "one that comes with ctr in place of a command (ctr bench list)",
             "spawn execl shell shell8 getpid ps nptl_perf kernbench dbench tbench mkfs reaim-1 reaim-3 "
             "reaim-5 "
             "reaim-7 reaim-9"},
            {what, "", "figure", value, "UNIT[:higher]=PATTERN",
             "a number that the command prints: what the first group of an extended regular expression "
             "matches; "
             "higher: more is better"},
            {tables, "", "table", value, "NAME",
             "models, ps, threads, inside, sets or mkfs; may be given more than once (default: all)",
             "models ps threads inside sets mkfs"},
            {size, "", "quick", nothing, "", "smaller, and fewer rounds: minutes in place of hours"},
            {kernel, "", "tree", value, "DIR",
             "source tree of a kernel (default: the newest in /usr/src; with --quick a small program is "
             "built "
             "in its place)",
             "<directory>"},
            {devices, "", "device", value, "DEVICE",
             "one of two block devices; what is on them is lost (default: loop devices, made for this)",
             "<file>"},
            {devices, "", "force", nothing, "", "also if they aren't empty (never if they are in use)"},
            {devices, "", "files", value, "DIR",
             "where the files of the loop devices are (default: /dev/shm, which is memory)", "<directory>"},
            {devices, "", "size", value, "BYTES",
             "of each loop device: about an eighth of it is written (default: 16g, with --quick 2g)"},
            {axis, "", "along", value, "WHAT",
             "depth, live (processes) or parallel (containers); may be given more than once (default: all)",
             "depth live parallel"},
            {pace, "", "rounds", value, "N",
             "samples of each configuration (default: 30; seeds and scaling: 15, with --quick 9 and 8)"},
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
