// A disk of a test's own with a file system, that everybody may write to. Needs root and a mount namespace.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <utility>

#include "tests/integration/launcher_fixture.h"
#include "tests/support/loop_device.h"
#include "tests/support/process.h"

namespace ctr::test {

struct ScratchDisk {
    LoopDevice loop;
    std::string device;  // what is mounted: the disk, or its partition
    MountedDevice mounted;

    static Result<ScratchDisk> make(const std::string& directory, uint64_t size,
                                    const std::string& type = "ext4",
                                    LoopDevice::Layout layout = LoopDevice::Layout::whole) {
        const char* const step = "make a disk";
        if (!available("mkfs." + type)) return fail_input(step, "mkfs." + type + " is not installed");
        auto loop = attach_loop_device(size, layout);
        if (!loop) return std::unexpected(std::move(loop).error());
        std::string device = loop->path() + (layout == LoopDevice::Layout::whole ? "" : "p1");
        if (!std::filesystem::exists(device))
            return fail_input(step, "the kernel shows no partition on a loop device");
        if (const Outcome made = run({"mkfs." + type, "-q", device}); made.code != 0)
            return fail_input(step, made.err);
        auto mounted = MountedDevice::mount(device, directory, type);
        if (!mounted) return std::unexpected(std::move(mounted).error());
        if (chmod(directory.c_str(), 0777) != 0) return fail_call(step, "chmod");
        return ScratchDisk{std::move(*loop), std::move(device), std::move(*mounted)};
    }
};

// Nobody else sees mounts that are made from now on; they end with the test program. Empty, or why not.
inline std::string own_mounts() {
    if (!is_root()) return "loop devices need root";
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
        return "no mount namespace of its own: " + errno_name(errno);
    return {};
}

}  // namespace ctr::test
