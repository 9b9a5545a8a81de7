#include "cmd/bench/workloads.h"

#include <unistd.h>

#include <algorithm>

#include "cmd/bench/kernel_tree.h"
#include "cmd/bench/programs.h"
#include "cmd/bench/scripts.h"
#include "cmd/suggestion.h"

namespace ctr::bench {

namespace {

struct Need {
    const char* program;
    const char* package;
};

struct Size {
    Words quick;
    Words full;
};

struct Row {
    BuiltIn built_in;
    std::string program;  // one of ours; empty: SCRIPT, with the size as its arguments
    std::string script;
    Size size;
    std::vector<Figure> figures;  // none: the time that it takes
    std::vector<Need> needs;
};

// As examples/result.h has it. The name is the program's, for some with the number of users.
Figure ours(const char* unit, Better better) {
    return {{unit, unit, better}, std::string("^[a-z_]+[/0-9]*: ([0-9.]+) ") + unit};
}
Figure rate(const char* unit) {
    return ours(unit, Better::higher);
}
Figure seconds(const char* name) {
    Figure figure = ours("s", Better::lower);
    figure.metric.name = name;
    return figure;
}
Figure elapsed() {
    return {{"elapsed", "s", Better::lower}, " in ([0-9.]+) s"};
}
Figure throughput() {
    return {{"throughput", "MB/s", Better::higher}, "Throughput ([0-9.]+) MB/sec"};
}

std::string processors() {
    return std::to_string(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

std::vector<Row> table() {
    const std::vector<Need> dbench_package = {{"dbench", "dbench"}};
    std::vector<Row> rows = {
        {{"spawn", "processes made, ended and waited for", "UnixBench"},
         "spawn",
         "",
         {{"4000"}, {"30000"}},
         {rate("lps")},
         {}},
        {{"execl", "a program that replaces itself by itself", "UnixBench"},
         "execl",
         "",
         {{"600"}, {"5000"}},
         {rate("lps")},
         {}},
        {{"shell", "a shell script with sort, od, grep, tee and wc", "UnixBench"},
         "shell",
         "",
         {{"60"}, {"300"}},
         {rate("lpm")},
         {}},
        {{"shell8", "eight such scripts side by side", "UnixBench"},
         "shell",
         "",
         {{"3", "8"}, {"60", "8"}},
         {rate("lpm")},
         {}},
        {{"getpid", "a process that asks for its number", "UnixBench"},
         "getpid",
         "",
         {{"3000000"}, {"20000000"}},
         {rate("lps")},
         {}},
        {{"ps", "ps -xaf of many processes, its system time", "pid namespaces, 2007"},
         "ps_loop",
         "",
         {{"30", "100"}, {"1000", "500"}},
         {seconds("system time"), elapsed()},
         {{"ps", "procps"}}},
        {{"nptl_perf", "threads made and joined, one at a time", "glibc's nptl/perf"},
         "nptl_perf",
         "",
         {{"-s", "10000", "-t", "1", "-r", "0", "-T", "--sync-join"},
          {"-s", "1000000", "-t", "1", "-r", "0", "-T", "--sync-join"}},
         {seconds("perf")},
         {}},
        {{"kernbench", "a kernel built by make with a job for each processor; --quick: a small program",
          "kernbench"},
         "kernbench",
         "",
         {{"-j", processors()}, {"-j", processors()}},
         {seconds("build")},
         {{"make", "make"}, {"cc", "gcc"}}},
        {{"dbench", "a file server's load on the file system", "dbench"},
         "",
         dbench_script,
         {{"2", processors()}, {"60", processors()}},
         {throughput()},
         dbench_package},
        {{"tbench", "the same load on the network alone: loopback", "tbench"},
         "",
         tbench_script,
         {{"2", processors()}, {"60", processors()}},
         {throughput()},
         dbench_package},
        {{"mkfs", "two file systems (ext2, in files) made in parallel", "io-throttle, 2009"},
         "",
         std::string(two_files) + mkfs_both,
         {{"1G"}, {"8G"}},
         {},
         {{"mkfs.ext2", "e2fsprogs"}}},
    };
    static constexpr const char* users[][2] = {
        {"reaim-1", "1"}, {"reaim-3", "3"}, {"reaim-5", "5"}, {"reaim-7", "7"}, {"reaim-9", "9"}};
    for (const auto& [name, number] : users)
        rows.push_back({{name, "users at once, each with a mix of jobs", "reaim"},
                        "multiuser",
                        "",
                        {{"-u", number, "-n", "15", "-r", "1"}, {"-u", number, "-n", "300", "-r", "1"}},
                        {rate("jpm")},
                        {}});
    return rows;
}

// Of a kernel where there is a tree; quick and without one: the program that is built instead.
Status add_tree(Words& command, bool quick, const std::string& given) {
    if (quick && given.empty()) {
        command.insert(command.end(), {"-f", "3"});
        return {};
    }
    const auto tree = find_kernel_tree(given);
    if (!tree) return std::unexpected(tree.error());
    for (const Need& need : {Need{"flex", "flex"}, Need{"bison", "bison"}, Need{"bc", "bc"}})
        if (auto there = need_program(need.program, need.package); !there) return there;
    command.insert(command.end(), {"-t", *tree});
    if (quick) command.insert(command.end(), {"kernel/", "lib/"});
    return {};
}

}  // namespace

const std::vector<BuiltIn>& built_in_workloads() {
    static const std::vector<BuiltIn> all = [] {
        std::vector<BuiltIn> names;
        for (const Row& row : table()) names.push_back(row.built_in);
        return names;
    }();
    return all;
}

Result<Workload> make_workload(const std::string& name, bool quick, const std::string& tree) {
    const std::vector<Row> rows = table();
    const auto row =
        std::ranges::find(rows, name, [](const Row& one) { return std::string(one.built_in.name); });
    if (row == rows.end()) {
        std::vector<std::string_view> names;
        names.reserve(rows.size());
        for (const Row& one : rows) names.emplace_back(one.built_in.name);
        return fail_input("find the workload",
                          '"' + name + "\" is none" + cmd::did_you_mean(cmd::nearest(name, names)),
                          "ctr bench list");
    }
    for (const Need& need : row->needs)
        if (auto there = need_program(need.program, need.package); !there)
            return std::unexpected(std::move(there.error()).within("prepare the workload " + name));
    Workload workload{.name = name, .what = row->built_in.what};
    if (!row->program.empty()) {
        auto program = own_program(row->program);
        if (!program)
            return std::unexpected(std::move(program.error()).within("prepare the workload " + name));
        workload.command = {*program};
    } else {
        workload.command = {"sh", "-c", row->script, name};
    }
    const Words& size = quick ? row->size.quick : row->size.full;
    workload.command.insert(workload.command.end(), size.begin(), size.end());
    if (name == "kernbench")
        if (auto added = add_tree(workload.command, quick, tree); !added)
            return std::unexpected(std::move(added.error()).within("prepare the workload " + name));
    workload.figures = row->figures;
    return workload;
}

}  // namespace ctr::bench
