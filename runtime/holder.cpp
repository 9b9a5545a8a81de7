#include "runtime/holder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/sys.h"
#include "runtime/processes.h"
#include "runtime/supervisor.h"

namespace ctr {

namespace {

// As the kernel knows it. A workload may call itself as monitors are, and have a file open whose file system
// (FUSE) it serves itself: that must not be asked, as it may never answer.
std::optional<struct statx> identity_of(int directory, const char* name, int flags) {
    struct statx status {};
    if (statx(directory, name, flags | AT_STATX_DONT_SYNC, STATX_INO, &status) != 0) return {};
    return status;
}

bool same(const struct statx& one, const struct statx& other) {
    return one.stx_ino == other.stx_ino && one.stx_dev_major == other.stx_dev_major &&
           one.stx_dev_minor == other.stx_dev_minor;
}

bool has_open(HostPid process, const struct statx& file) {
    const std::string path = "/proc/" + std::to_string(raw(process)) + "/fd";
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(path.c_str()), closedir);
    if (!directory) return false;
    while (const dirent* entry = readdir(directory.get())) {
        const auto status = identity_of(dirfd(directory.get()), entry->d_name, 0);
        if (status && same(*status, file)) return true;
    }
    return false;
}

struct Candidate {
    Holder holder;
    HostPid parent = HostPid::none;
};

// The descriptor comes first: what is found of the process afterwards is true of who the descriptor means.
std::optional<Candidate> look_at(HostPid here, const struct statx& lock) {
    Fd pidfd(sys::pidfd_open(raw(here), 0));
    if (!pidfd) return {};
    const auto process = read_stat(here);
    if (!process || process->comm != monitor_name || !has_open(here, lock)) return {};
    return Candidate{{here, std::move(pidfd), process->state}, process->parent};
}

}  // namespace

std::optional<Holder> find_monitor(const Entry& entry) {
    const auto lock = identity_of(entry.directory().get(), Entry::lock_file, AT_SYMLINK_NOFOLLOW);
    const auto processes = Processes::read();
    if (!lock || !processes) return {};
    std::vector<Candidate> candidates;
    for (const auto& [here, process] : processes->all()) {
        if (process.comm != monitor_name) continue;
        if (auto candidate = look_at(here, *lock)) candidates.push_back(std::move(*candidate));
    }
    // What it has forked is called as it is, and has the lock as well until it executes something.
    const auto top = std::ranges::find_if(candidates, [&](const Candidate& one) {
        return std::ranges::none_of(
            candidates, [&](const Candidate& other) { return other.holder.process == one.parent; });
    });
    if (top == candidates.end()) return {};
    return std::move(top->holder);
}

}  // namespace ctr
