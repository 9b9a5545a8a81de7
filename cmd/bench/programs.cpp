#include "cmd/bench/programs.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

namespace ctr::bench {

namespace {

namespace fs = std::filesystem;

bool executable(const fs::path& file) {
    std::error_code ignored;
    return fs::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0;
}

std::vector<fs::path> own_directories() {
    if (const char* given = std::getenv("CTR_EXAMPLES"); given != nullptr && *given != '\0') return {given};
    std::error_code ignored;
    const fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    return {here / "../libexec/ctr", here / "../examples"};
}

}  // namespace

Result<std::string> own_program(const std::string& name) {
    std::string looked_at;
    for (const fs::path& directory : own_directories()) {
        const fs::path file = (directory / name).lexically_normal();
        if (executable(file)) return file.string();
        looked_at += (looked_at.empty() ? "" : ", ") + file.string();
    }
    return fail_input("find the program " + name, "it isn't there: " + looked_at,
                      "CTR_EXAMPLES=DIRECTORY, with the built examples");
}

Status need_program(const std::string& name, const std::string& package) {
    const char* path = std::getenv("PATH");
    std::istringstream directories(std::string(path != nullptr ? path : "") + ":/usr/sbin:/sbin");
    for (std::string directory; std::getline(directories, directory, ':');)
        if (executable(fs::path(directory) / name)) return {};
    return fail_input("find the program " + name, "it isn't installed", "apt-get install " + package);
}

}  // namespace ctr::bench
