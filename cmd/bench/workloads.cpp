#include "cmd/bench/workloads.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cmd/suggestion.h"

namespace ctr::bench {

namespace {

namespace fs = std::filesystem;

struct Row {
    BuiltIn about;
    const char* program;
    const char* quick;  // its argument
    const char* full;
    Figure figure;
};

const std::vector<Row>& table() {
    static const std::vector<Row> rows = {
        {{"spawn", "makes processes that end at once, and waits for each"},
         "spawn",
         "1000",
         "10000",
         {{"spawn", "/s", Better::higher}, ", ([0-9.]+)/s"}},
        {{"execl", "a process that replaces itself by itself"},
         "execl",
         "300",
         "2000",
         {{"execl", "/s", Better::higher}, ", ([0-9.]+)/s"}},
        {{"threads", "makes and joins threads"},
         "threads",
         "3000",
         "30000",
         {{"threads", "/s", Better::higher}, ", ([0-9.]+)/s"}},
        {{"ps", "ps -xaf: a heavy reader of /proc"},
         "ps_loop",
         "10",
         "100",
         {{"ps", "s system", Better::lower}, "runs, ([0-9.]+) s system"}},
    };
    return rows;
}

// Beside this program, or where it was built.
std::string find_program(const std::string& name) {
    std::vector<fs::path> places;
    if (const char* given = std::getenv("CTR_EXAMPLES")) places.emplace_back(given);
    std::error_code problem;
    const fs::path self = fs::read_symlink("/proc/self/exe", problem);
    places.insert(places.end(), {self.parent_path(), self.parent_path().parent_path() / "examples"});
    for (const fs::path& place : places)
        if (access((place / name).c_str(), X_OK) == 0) return (place / name).string();
    return {};
}

}  // namespace

const std::vector<BuiltIn>& built_in_workloads() {
    static const std::vector<BuiltIn> all = [] {
        std::vector<BuiltIn> names;
        for (const Row& row : table()) names.push_back(row.about);
        return names;
    }();
    return all;
}

Result<Workload> make_workload(const std::string& name, bool quick) {
    const std::string step = "prepare the workload \"" + name + '"';
    const auto row = std::ranges::find_if(table(), [&](const Row& one) { return name == one.about.name; });
    if (row == table().end()) {
        std::vector<std::string_view> names;
        std::string all;
        for (const BuiltIn& one : built_in_workloads()) {
            names.emplace_back(one.name);
            all += (all.empty() ? "one of " : ", ") + std::string(one.name);
        }
        return fail_input(step, "there is none of that name" + cmd::did_you_mean(cmd::nearest(name, names)),
                          all);
    }
    const std::string program = find_program(row->program);
    if (program.empty())
        return fail_input(step, std::string("there is no program ") + row->program + " beside this one",
                          "CTR_EXAMPLES=DIRECTORY, where the examples were built");
    Workload workload;
    workload.name = row->about.name;
    workload.what = row->about.what;
    workload.command = {program, quick ? row->quick : row->full};
    workload.figures = {row->figure};
    return workload;
}

}  // namespace ctr::bench
