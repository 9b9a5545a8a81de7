#include "runtime/processes.h"

#include <dirent.h>

#include <cerrno>
#include <charconv>
#include <memory>
#include <sstream>
#include <string_view>

#include "runtime/base/path.h"

namespace ctr {

namespace {

constexpr const char* step = "read the processes";

std::string file_of(HostPid process, const char* name) {
    return "/proc/" + std::to_string(raw(process)) + "/" + name;
}

}  // namespace

Result<Process> parse_stat(const std::string& text) {
    const size_t open = text.find('(');
    const size_t close = text.rfind(')');
    if (open == std::string::npos || close == std::string::npos || close < open)
        return fail_input(step, "/proc/PID/stat isn't as this ctr knows it");
    Process process;
    process.comm = text.substr(open + 1, close - open - 1);
    int pid = 0;
    int parent = 0;
    std::istringstream(text) >> pid;
    std::istringstream fields(text.substr(close + 1));
    fields >> process.state >> parent;
    // The parent is field 4 of proc(5), the start field 22.
    constexpr int between = 22 - 4 - 1;
    std::string skipped;
    for (int i = 0; i < between; ++i) fields >> skipped;
    fields >> process.start;
    if (!fields || pid <= 0) return fail_input(step, "/proc/PID/stat isn't as this ctr knows it");
    process.here = HostPid(pid);
    process.parent = HostPid(parent);
    return process;
}

Result<Process> read_stat(HostPid process) {
    const auto text = path::read_text(file_of(process, "stat"));
    return text ? parse_stat(*text) : std::unexpected(text.error());
}

std::vector<int> parse_numbers(const std::string& text) {
    constexpr std::string_view name = "\nNSpid:";  // which no command's name can fake: it is escaped
    std::vector<int> numbers;
    const size_t start = text.find(name);
    if (start == std::string::npos) return numbers;
    const size_t begin = start + name.size();
    std::istringstream line(text.substr(begin, text.find('\n', begin) - begin));
    for (int number = 0; line >> number;) numbers.push_back(number);
    return numbers;
}

std::vector<std::string> parse_arguments(const std::string& text) {
    std::vector<std::string> arguments;
    for (size_t start = 0; start < text.size();) {
        const size_t end = std::min(text.find('\0', start), text.size());
        arguments.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return arguments;
}

Result<Processes> Processes::read() {
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir("/proc"), closedir);
    if (!directory) return fail_call(step, "opendir", errno, "", "mount -t proc proc /proc");
    Processes processes;
    while (const dirent* entry = readdir(directory.get())) {
        const std::string_view name(entry->d_name);
        int number = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
        if (error != std::errc{} || end != name.data() + name.size()) continue;
        // One that has gone meanwhile isn't missed.
        if (auto process = read_stat(HostPid(number)))
            processes.all_.emplace(process->here, std::move(*process));
    }
    // Somebody's parent may have ended while the others were read.
    for (auto& [here, process] : processes.all_)
        if (process.parent != HostPid::none && processes.find(process.parent) == nullptr)
            if (const auto again = read_stat(here)) process.parent = again->parent;
    return processes;
}

const Process* Processes::find(HostPid here) const {
    const auto found = all_.find(here);
    return found == all_.end() ? nullptr : &found->second;
}

const Process* Processes::read_details(HostPid here) {
    const auto found = all_.find(here);
    if (found == all_.end()) return nullptr;
    Process& process = found->second;
    if (!process.numbers.empty()) return &process;
    const auto status = path::read_text(file_of(here, "status"));
    const auto arguments = path::read_text(file_of(here, "cmdline"));
    if (!status || !arguments) return nullptr;
    process.numbers = parse_numbers(*status);
    // A kernel without pid namespaces has no such line.
    if (process.numbers.empty()) process.numbers = {raw(here)};
    process.args = parse_arguments(*arguments);
    return &process;
}

}  // namespace ctr
