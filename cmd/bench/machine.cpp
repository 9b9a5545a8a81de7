#include "cmd/bench/machine.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "runtime/base/path.h"

namespace ctr::bench {

namespace {

namespace fs = std::filesystem;

// Empty: there is no such file.
std::string text_of(const std::string& path) {
    const auto text = path::read_text(path);
    if (!text) return {};
    const size_t end = text->find_last_not_of(" \n");
    return end == std::string::npos ? "" : text->substr(0, end + 1);
}

// Of "name : value" in a file such as cpuinfo, the first.
std::string field(const std::string& text, const std::string& name) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const size_t colon = line.find(':');
        if (colon == std::string::npos || line.substr(0, line.find_last_not_of(" \t:", colon) + 1) != name)
            continue;
        const size_t begin = line.find_first_not_of(" \t", colon + 1);
        return begin == std::string::npos ? "" : line.substr(begin);
    }
    return {};
}

std::string kernel(const std::string& root) {
    if (const std::string version = text_of(root + "/proc/version"); !version.empty()) return version;
    utsname name{};
    return uname(&name) == 0 ? std::string(name.release) + ' ' + name.version : "";
}

std::string system_name(const std::string& root) {
    std::istringstream lines(text_of(root + "/etc/os-release"));
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("PRETTY_NAME=\"")) return line.substr(13, line.size() - 14);
    return {};
}

std::string processor(const std::string& root) {
    return field(text_of(root + "/proc/cpuinfo"), "model name");
}

std::string cores(const std::string& root) {
    const std::string online = text_of(root + "/sys/devices/system/cpu/online");
    return std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) + (online.empty() ? "" : " (" + online + ')');
}

std::string governor(const std::string& root) {
    const std::string name = text_of(root + "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    return name.empty() ? "none visible" : name;
}

std::string mitigations(const std::string& root) {
    std::vector<std::string> found;
    std::error_code problem;
    for (const auto& file :
         fs::directory_iterator(root + "/sys/devices/system/cpu/vulnerabilities", problem)) {
        const std::string text = text_of(file.path());
        if (text != "Not affected") found.push_back(file.path().filename().string() + ": " + text);
    }
    std::ranges::sort(found);
    std::string all;
    for (const std::string& one : found) all += (all.empty() ? "" : " | ") + one;
    return all.empty() ? "none" : all;
}

std::string virtualisation(const std::string& root) {
    const std::string flags = ' ' + field(text_of(root + "/proc/cpuinfo"), "flags") + ' ';
    if (!flags.contains(" hypervisor ")) return "none";
    std::string text = "virtual machine";
    for (const char* file :
         {"/sys/hypervisor/type", "/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name"})
        if (const std::string word = text_of(root + file); !word.empty()) text += ", " + word;
    return text;
}

std::string memory(const std::string& root) {
    const std::string total = field(text_of(root + "/proc/meminfo"), "MemTotal");
    const long kib = std::strtol(total.c_str(), nullptr, 10);
    return kib == 0 ? "" : std::to_string((kib + 512) / 1024) + " MiB";
}

std::string cgroups(const std::string& root) {
    const bool v2 = fs::exists(root + "/sys/fs/cgroup/cgroup.controllers");
    const bool hybrid = fs::exists(root + "/sys/fs/cgroup/unified");
    const bool v1 = fs::exists(root + "/sys/fs/cgroup/memory") || fs::exists(root + "/sys/fs/cgroup/cpu");
    if (v2) return "v2";
    if (hybrid) return "v1 and v2 (hybrid)";
    return v1 ? "v1" : "none";
}

std::string load(const std::string& root) {
    const std::string text = text_of(root + "/proc/loadavg");
    size_t end = 0;
    for (int words = 0; words < 3 && end != std::string::npos; ++words) end = text.find(' ', end + 1);
    return text.substr(0, end);
}

std::string processes(const std::string& root) {
    std::error_code problem;
    size_t count = 0;
    for (const auto& entry : fs::directory_iterator(root + "/proc", problem))
        count += std::isdigit(static_cast<unsigned char>(entry.path().filename().string().front())) != 0;
    return std::to_string(count);
}

std::string build(const std::string&) {
    return CTR_BENCH_BUILD;
}
std::string version(const std::string&) {
    return CTR_BENCH_VERSION;
}
std::string user(const std::string&) {
    return geteuid() == 0 ? "root" : std::to_string(geteuid());
}

constexpr const char* load_before = "load before";
constexpr const char* load_after = "load after";

struct Look {
    const char* name;
    std::string (*at)(const std::string& root);
    bool passing = false;
};
constexpr Look looks[] = {{"kernel", kernel},
                          {"system", system_name},
                          {"processor", processor},
                          {"cores", cores},
                          {"governor", governor},
                          {"mitigations", mitigations},
                          {"virtualisation", virtualisation},
                          {"memory", memory},
                          {"cgroups", cgroups},
                          {"ctr", version},
                          {"build", build},
                          {"user", user},
                          {"processes", processes, true},
                          {load_before, load, true}};

std::string value_of(const Machine& machine, const char* name) {
    const Fact* fact = machine.find(name);
    return fact == nullptr ? "?" : fact->value;
}

// What others did: the part of the load that isn't ours.
double first_number(const std::string& text) {
    return std::strtod(text.c_str(), nullptr);
}

}  // namespace

const Fact* Machine::find(const std::string& name) const {
    const auto found = std::ranges::find(facts, name, &Fact::name);
    return found == facts.end() ? nullptr : &*found;
}

Machine look_at_machine(const std::string& root) {
    Machine machine;
    for (const Look& look : looks) {
        std::string value = look.at(root);
        machine.facts.push_back({look.name, value.empty() ? "?" : std::move(value), look.passing});
    }
    return machine;
}

void look_again(Machine& machine, const std::string& root) {
    machine.facts.push_back({load_after, load(root), true});
}

std::string in_one_line(const Machine& machine) {
    std::string kernel_words = value_of(machine, "kernel");
    constexpr std::string_view begin = "Linux version ";
    if (kernel_words.starts_with(begin)) kernel_words.erase(0, begin.size());
    kernel_words.resize(std::min(kernel_words.find(' '), kernel_words.size()));
    return value_of(machine, "cores") + " cores of " + value_of(machine, "processor") +
           ", virtualisation: " + value_of(machine, "virtualisation") + ", Linux " + kernel_words + ", " +
           value_of(machine, "system") + ", ctr " + value_of(machine, "ctr") + " (" +
           value_of(machine, "build") + "), load " + value_of(machine, load_before) +
           (machine.find(load_after) == nullptr ? "" : ", at the end " + value_of(machine, load_after));
}

std::string busy(const Machine& machine) {
    const double before = first_number(value_of(machine, load_before));
    const double number_of_cores = std::max(1.0, first_number(value_of(machine, "cores")));
    if (before < number_of_cores / 2) return {};
    return "the machine was busy before it began (load " + value_of(machine, load_before) + " on " +
           value_of(machine, "cores") + " cores): differences are harder to see, but with --ahead";
}

}  // namespace ctr::bench
