#include "cmd/bench/kernel_tree.h"

#include <filesystem>

namespace ctr::bench {

namespace {

namespace fs = std::filesystem;

bool is_tree(const fs::path& directory) {
    std::error_code ignored;
    return fs::is_regular_file(directory / "Makefile", ignored) &&
           fs::is_regular_file(directory / "Kconfig", ignored);
}

}  // namespace

Result<std::string> find_kernel_tree(const std::string& given, const std::string& root) {
    const std::string step = "find a kernel's source tree";
    if (!given.empty()) {
        std::error_code ignored;
        if (is_tree(given)) return fs::canonical(given, ignored).string();
        return fail_input(step, '"' + given + "\" has no Makefile and Kconfig of one");
    }
    std::error_code ignored;
    fs::path best;
    std::string archive = "/usr/src/linux-source-*.tar.xz";
    for (const auto& entry : fs::directory_iterator(root + "/usr/src", ignored)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with("linux-")) continue;
        if (is_tree(entry.path()) && entry.path() > best) best = entry.path();
        if (name.starts_with("linux-source-") && name.ends_with(".tar.xz")) archive = "/usr/src/" + name;
    }
    if (!best.empty()) return best.string();
    return fail_input(
        step, "there is none in /usr/src",
        "apt-get install linux-source && tar -xf " + archive + " -C /usr/src, or --tree DIRECTORY");
}

}  // namespace ctr::bench
