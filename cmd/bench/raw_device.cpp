#include "cmd/bench/raw_device.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "runtime/base/fd.h"

namespace ctr::bench {

namespace {

// Superblocks and partition tables of all usual kinds lie in there: the second GPT at the end as well.
constexpr uint64_t looked_at = 1024 * 1024;

Result<bool> is_zero(int fd, uint64_t from, uint64_t size, const std::string& step) {
    std::vector<char> bytes(size);
    const ssize_t got = pread(fd, bytes.data(), size, static_cast<off_t>(from));
    if (got < 0) return fail_call(step, "pread");
    if (static_cast<uint64_t>(got) != size) return fail_input(step, "it can't be read to its end");
    return std::all_of(bytes.begin(), bytes.begin() + got, [](char byte) { return byte == 0; });
}

}  // namespace

Result<RawDevice> RawDevice::examine(const std::string& path, Contents contents) {
    const std::string step = "look at the device " + path;
    struct stat facts {};
    if (stat(path.c_str(), &facts) != 0) return fail_call(step, "stat");
    if (!S_ISBLK(facts.st_mode)) return fail_input(step, "it is no block device");
    // The kernel refuses O_EXCL while the device, or a partition of it, is in use.
    const Fd device(open(path.c_str(), O_RDONLY | O_EXCL | O_CLOEXEC));
    if (!device && errno == EBUSY)
        return fail_call(step, "open", EBUSY, "it is in use: mounted, swap, or part of another device",
                         "unmount it, or name another one");
    if (!device && errno == EACCES)
        return fail_call(step, "open", EACCES, "it isn't this user's", "run it as root");
    if (!device) return fail_call(step, "open");
    RawDevice found{.path = path, .number = facts.st_rdev};
    if (ioctl(device.get(), BLKGETSIZE64, &found.bytes) != 0) return fail_call(step, "BLKGETSIZE64");
    if (contents == Contents::may_be_lost) return found;
    const uint64_t part = std::min(found.bytes, looked_at);
    for (const uint64_t from : {uint64_t{0}, found.bytes - part}) {
        const auto empty = is_zero(device.get(), from, part, step);
        if (!empty) return std::unexpected(empty.error());
        if (!*empty)
            return fail_input(step, "it isn't empty, and all that is on it would be lost",
                              "--force, if nobody will miss it");
    }
    return found;
}

}  // namespace ctr::bench
