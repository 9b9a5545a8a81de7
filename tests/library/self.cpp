#include "tests/library/self.h"

#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace ctr::test {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

std::vector<std::string> descriptors() {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
        std::error_code gone;  // the one that lists
        const auto target = fs::read_symlink(entry.path(), gone);
        if (!gone && !target.string().ends_with("/fd"))
            found.push_back(entry.path().filename().string() + " -> " + target.string());
    }
    std::ranges::sort(found);
    return found;
}

std::string masks(const fs::path& task) {
    std::istringstream lines(content(task / "status"));
    std::string found;
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("SigBlk") || line.starts_with("SigIgn") || line.starts_with("SigCgt"))
            found += line + '\n';
    return found;
}

std::string handlers() {
    std::ostringstream text;
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction action {};
        if (sigaction(number, nullptr, &action) != 0) continue;
        text << number << ' ' << reinterpret_cast<void*>(action.sa_handler) << ' ' << action.sa_flags << '\n';
    }
    return text.str();
}

std::string mapped_files() {
    std::set<std::string> files;
    std::istringstream lines(content("/proc/self/maps"));
    for (std::string line; std::getline(lines, line);)
        if (const size_t slash = line.find('/'); slash != std::string::npos) files.insert(line.substr(slash));
    std::string text;
    for (const std::string& file : files) text += file + '\n';
    return text;
}

std::string attributes() {
    const mode_t mask = umask(0);
    umask(mask);
    int subreaper = 0;
    char name[16] = {};
    prctl(PR_GET_CHILD_SUBREAPER, &subreaper);
    prctl(PR_GET_NAME, name);
    std::ostringstream text;
    text << fs::current_path().string() << " umask " << mask << " session " << getsid(0) << " group "
         << getpgid(0) << " name " << name << " subreaper " << subreaper << " dumpable "
         << prctl(PR_GET_DUMPABLE);
    return text.str();
}

}  // namespace

Self look_at_self() {
    Self self;
    self.descriptors = descriptors();
    for (const auto& task : fs::directory_iterator("/proc/self/task")) {
        ++self.threads;
        std::istringstream numbers(content(task.path() / "children"));
        for (pid_t child = 0; numbers >> child;) self.children.push_back(child);
        self.signals += masks(task.path());
    }
    self.signals += handlers();
    self.memory_maps = mapped_files();
    self.attributes = attributes();
    return self;
}

size_t allocated() {
    return mallinfo2().uordblks + mallinfo2().hblkhd;
}

size_t resident() {
    std::istringstream numbers(content("/proc/self/statm"));
    size_t size = 0;
    size_t pages = 0;
    numbers >> size >> pages;
    return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

std::string differences(const Self& before, const Self& after) {
    std::ostringstream text;
    if (before.descriptors != after.descriptors) {
        text << "descriptors:";
        for (const std::string& one : before.descriptors) text << "\n  before: " << one;
        for (const std::string& one : after.descriptors) text << "\n  after: " << one;
        text << '\n';
    }
    if (before.children != after.children)
        text << "children: " << before.children.size() << ", then " << after.children.size() << '\n';
    if (before.threads != after.threads)
        text << "threads: " << before.threads << ", then " << after.threads << '\n';
    const auto compare = [&](const char* what, const std::string& one, const std::string& other) {
        if (one != other) text << what << ":\n" << one << "then:\n" << other << '\n';
    };
    compare("signals", before.signals, after.signals);
    compare("mapped files", before.memory_maps, after.memory_maps);
    compare("attributes", before.attributes, after.attributes);
    return text.str();
}

}  // namespace ctr::test
