#include "runtime/overlay.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "runtime/base/path.h"

namespace ctr {

namespace {

constexpr int directory_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

// Mount points, and nothing else: files stay, and what they are in.
void remove_directories(const std::string& top) {
    std::error_code problem;
    std::filesystem::directory_iterator entries(top, problem);
    for (; !problem && entries != std::filesystem::directory_iterator(); entries.increment(problem))
        if (entries->symlink_status(problem).type() == std::filesystem::file_type::directory)
            remove_directories(entries->path());
    rmdir(top.c_str());
}

bool is_missing(const std::string& path) {
    return faccessat(AT_FDCWD, path.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
}

// Locked before it gets its name: so there is no moment at which somebody else could find and claim it. None:
// it is there, or can't be made.
Fd make_locked(const std::string& directory) {
    std::string made = directory + ".XXXXXX";
    if (mkdtemp(made.data()) == nullptr) return {};
    Fd fd(open(made.c_str(), directory_flags | O_NOFOLLOW));
    if (fd && flock(fd.get(), LOCK_EX | LOCK_NB) == 0 &&
        renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, directory.c_str(), RENAME_NOREPLACE) == 0)
        return fd;
    rmdir(made.c_str());
    return {};
}

}  // namespace

Result<OverlayClaim> OverlayClaim::make(Plan& plan) {
    OverlayClaim claim;
    for (Step& step : plan.steps) {
        auto* overlay = std::get_if<action::OverlayRoot>(&step.action);
        if (overlay == nullptr || overlay->upper.empty()) continue;
        claim.upper_ = overlay->upper;
        if (is_missing(overlay->upper)) claim.held_ = make_locked(overlay->upper);
        overlay->fresh = static_cast<bool>(claim.held_);
        if (auto locked = claim.lock(); !locked) return std::unexpected(std::move(locked).error());
        if (!claim.held_) continue;
        if (overlay->fresh) claim.made_.push_back(overlay->upper);
        if (is_missing(overlay->work)) claim.made_.push_back(overlay->work);
    }
    return claim;
}

// One that can't be made here is left to the step that needs it, which says why; if it can, it is locked when
// it has been made.
Status OverlayClaim::lock() {
    while (!upper_.empty() && !held_) {
        Fd found(open(upper_.c_str(), directory_flags));
        if (!found) return {};
        if (flock(found.get(), LOCK_EX | LOCK_NB) != 0) {
            if (errno != EWOULDBLOCK) return {};  // the file system has no locks
            return fail_input("claim \"" + upper_ + "\" for the overlay",
                              "another container writes to it just now",
                              "a directory of its own, or wait for that one's end");
        }
        // A start that came to nothing may have removed it meanwhile, and another one have made its own.
        const Fd now(open(upper_.c_str(), directory_flags));
        if (!now) return {};
        if (path::same_file(now.get(), found.get())) held_ = std::move(found);
    }
    return {};
}

Status OverlayClaim::confirm() {
    made_.clear();
    return lock();
}

// Only what was made under this lock, which is still held.
OverlayClaim::~OverlayClaim() {
    for (const std::string& directory : made_) remove_directories(directory);
}

}  // namespace ctr
