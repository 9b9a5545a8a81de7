#include "runtime/overlay.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace ctr {

namespace {

// Mount points, and nothing else: files stay, and what they are in.
void remove_directories(const std::string& top) {
    std::error_code problem;
    std::filesystem::directory_iterator entries(top, problem);
    for (; !problem && entries != std::filesystem::directory_iterator(); entries.increment(problem))
        if (entries->symlink_status(problem).type() == std::filesystem::file_type::directory)
            remove_directories(entries->path());
    rmdir(top.c_str());
}

}  // namespace

Result<OverlayClaim> OverlayClaim::make(const Plan& plan) {
    OverlayClaim claim;
    for (const Step& step : plan.steps) {
        const auto* overlay = std::get_if<action::OverlayRoot>(&step.action);
        if (overlay == nullptr || overlay->upper.empty()) continue;
        claim.upper_ = overlay->upper;
        for (const std::string& directory : {overlay->work, overlay->upper})
            if (access(directory.c_str(), F_OK) != 0 && errno == ENOENT) claim.missing_.push_back(directory);
        if (auto locked = claim.lock(); !locked) return std::unexpected(std::move(locked).error());
    }
    return claim;
}

// One that isn't there yet is locked when it has been made.
Status OverlayClaim::lock() {
    if (upper_.empty() || held_) return {};
    held_.reset(open(upper_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!held_ || flock(held_.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return {};
    missing_.clear();
    return fail_input("claim \"" + upper_ + "\" for the overlay", "another container writes to it just now",
                      "a directory of its own, or wait for that one's end");
}

Status OverlayClaim::confirm() {
    missing_.clear();
    return lock();
}

OverlayClaim::~OverlayClaim() {
    for (const std::string& directory : missing_) remove_directories(directory);
}

}  // namespace ctr
