#include "runtime/holder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <memory>
#include <string>

#include "runtime/base/sys.h"
#include "runtime/processes.h"
#include "runtime/supervisor.h"

namespace ctr {

namespace {

bool has_open(HostPid process, const struct stat& file) {
    const std::string path = "/proc/" + std::to_string(raw(process)) + "/fd";
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(path.c_str()), closedir);
    if (!directory) return false;
    while (const dirent* entry = readdir(directory.get())) {
        struct stat status {};
        if (fstatat(dirfd(directory.get()), entry->d_name, &status, 0) == 0 && status.st_ino == file.st_ino &&
            status.st_dev == file.st_dev)
            return true;
    }
    return false;
}

}  // namespace

// The descriptor comes first: what is found of the process afterwards is true of who the descriptor means.
std::optional<Holder> find_monitor(const Entry& entry) {
    struct stat lock {};
    if (fstatat(entry.directory().get(), Entry::lock_file, &lock, AT_SYMLINK_NOFOLLOW) != 0) return {};
    const auto processes = Processes::read();
    if (!processes) return {};
    for (const auto& [here, process] : processes->all()) {
        if (process.comm != monitor_name) continue;
        Fd pidfd(sys::pidfd_open(raw(here), 0));
        if (pidfd && has_open(here, lock)) return Holder{here, std::move(pidfd), process.state};
    }
    return {};
}

}  // namespace ctr
