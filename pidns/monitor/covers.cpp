#include "pidns/monitor/covers.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>

#include "pidns/monitor/descriptors.h"
#include "pidns/monitor/memory.h"
#include "pidns/monitor/proc_files.h"
#include "pidns/monitor/procfs.h"
#include "pidns/monitor/server.h"
#include "pidns/surface/mark.h"

namespace ctr::pidns {

namespace {

// Most of all calls with a path.
bool only_reads(const Trap& trap, const Call& call) {
    if (call.number != SYS_open && call.number != SYS_openat) return false;
    return (trap.arguments[call.path.path + 1U] & (O_ACCMODE | O_TRUNC)) == O_RDONLY;
}

// What the kernel says of a file that a mount lies over: to unlink and rename, to link, and to all that would
// write to a mount which is read-only.
bool is_refusal(long result) {
    return result == -EBUSY || result == -EXDEV || result == -EROFS;
}

// In a process of its own, which enters the mount namespace. The mount is named by its descriptor, so that
// nothing is looked up inside.
bool unmount(const Fd& space, const Fd& mount) {
    char name[16] = {};
    std::to_chars(name, name + sizeof name - 1, mount.get());
    const Fd descriptors(open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC));
    const Fd owner(ioctl(space.get(), NS_GET_USERNS));
    // EINVAL: it is our own, and we have its rights already.
    if (!owner || (setns(owner.get(), CLONE_NEWUSER) != 0 && errno != EINVAL)) return false;
    return setns(space.get(), CLONE_NEWNS) == 0 && fchdir(descriptors.get()) == 0 &&
           umount2(name, MNT_DETACH) == 0;
}

bool unmount_from(HostPid thread, const Fd& mount) {
    const Fd space(open(proc_file(thread, "ns/mnt").c_str(), O_RDONLY | O_CLOEXEC));
    if (!space) return false;
    const pid_t helper = fork();
    if (helper == 0) _exit(unmount(space, mount) ? 0 : 1);
    int status = -1;
    while (helper > 0 && waitpid(helper, &status, 0) < 0 && errno == EINTR) {
    }
    return status == 0;
}

}  // namespace

bool Covers::may_concern(const Trap& trap, const Call& call) const {
    if (files_.empty() || !call.changes || only_reads(trap, call)) return false;
    if (trap.arguments[5] == asked_mark) return true;  // it has been refused already
    const auto is_name = [&](PathArguments at) {
        const std::string path = path_text(trap, call, at).value_or("");
        const std::string name = path.substr(path.rfind('/') + 1);
        return std::ranges::any_of(files_, [&](const CoveredFile& file) { return file.name == name; });
    };
    return is_name(call.path) || is_name(call.second_path);
}

std::string Covers::take_off(HostPid thread, int fd) const {
    const Fd copy = descriptor_place(thread, fd);
    struct statx status {};
    constexpr int as_known = AT_EMPTY_PATH | AT_STATX_DONT_SYNC;
    if (!copy || statx(copy.get(), "", as_known, STATX_INO, &status) != 0) return {};
    if ((status.stx_attributes & STATX_ATTR_MOUNT_ROOT) == 0) return {};
    const dev_t device = makedev(status.stx_dev_major, status.stx_dev_minor);
    const auto found = std::ranges::find_if(files_, [&](const CoveredFile& file) {
        return file.device == device && file.inode == status.stx_ino;
    });
    return found != files_.end() && unmount_from(thread, copy) ? found->name : std::string();
}

void CallServer::change_covered(const Trap& trap, const Call& call) {
    const Caller caller{trap.thread, process_of(trap)};
    Rewrite rewrite = as_made(trap, call, caller);
    rewrite.may_be_covered = true;
    begin(trap, std::move(rewrite));
}

std::optional<long> CallServer::changed(Rewrite& rewrite, long result) {
    if (rewrite.errand) {
        const auto seen = run_errand(rewrite, result);
        if (!rewrite.errand) take_back(rewrite);
        return seen;
    }
    if (!is_refusal(result)) return result;
    // EBUSY comes after the kernel has asked whether the caller may change the directory, the others before.
    uint64_t directory = 0;
    if (result != -EBUSY && !lay_down_directory(rewrite, directory)) return result;
    rewrite.errand.emplace(uncover(rewrite.caller, *rewrite.call, rewrite.original, result, directory));
    return run_errand(rewrite, 0);
}

// The text of the directory that the first path's file is in, for the thread to look at.
bool CallServer::lay_down_directory(Rewrite& rewrite, uint64_t& address) {
    const HostPid thread = rewrite.caller.thread;
    const auto path = read_text(thread, rewrite.original.at(rewrite.call->path.path), PATH_MAX - 1);
    Registers registers;
    if (!path || !registers.load(thread)) return false;
    const size_t slash = path->rfind('/');
    const std::string directory = slash == std::string::npos ? "." : path->substr(0, slash + 1);
    rewrite.scratch = lay_down(ProcessMemory(thread), registers.stack(), directory);
    if (rewrite.scratch) address = rewrite.scratch->address;
    return rewrite.scratch.has_value();
}

// The thread itself opens the files, as it would find them. DIRECTORY: a text; 0: it may certainly change it.
Errand CallServer::uncover(Caller caller, const Call& call, Registers::Arguments arguments, long result,
                           uint64_t directory) {
    // What it names, or where that leads.
    constexpr uint64_t ways[] = {O_PATH | O_CLOEXEC | O_NOFOLLOW, O_PATH | O_CLOEXEC};
    const auto base_of = [&](PathArguments at) {
        constexpr auto here = static_cast<uint64_t>(AT_FDCWD);
        return at.directory == PathArguments::none ? here : arguments.at(at.directory);
    };
    if (directory != 0) {
        const long refused = co_await Made{SYS_faccessat2, {base_of(call.path), directory, W_OK, AT_EACCESS}};
        if (refused != 0) co_return result;
    }
    bool again = false;
    for (const PathArguments at : {call.path, call.second_path}) {
        if (at.path == PathArguments::none) continue;
        std::string name;
        for (const uint64_t flags : ways) {
            const long fd = co_await Made{SYS_openat, {base_of(at), arguments.at(at.path), flags}};
            if (fd < 0) break;
            name = covers_.take_off(caller.thread, static_cast<int>(fd));
            co_await Made{SYS_close, {static_cast<uint64_t>(fd)}};
            if (!name.empty()) break;
        }
        if (name.empty()) continue;
        again = true;
        warn_once(caller.process, "changes " + name,
                  "it changes " + name +
                      ", whose instrumented copy goes: programs that start from now on are served by the "
                      "monitor");
    }
    if (again) co_return std::nullopt;
    co_return result;
}

}  // namespace ctr::pidns
