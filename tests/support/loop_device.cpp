#include "tests/support/loop_device.h"

#include <sys/mount.h>

#include <cstdlib>

namespace ctr::test {

Result<LoopDevice> attach_loop_device(uint64_t bytes, LoopDevice::Layout layout) {
    const char* directory = std::getenv("TMPDIR");
    return LoopDevice::attach(directory != nullptr ? directory : "/tmp", bytes, layout);
}

Result<MountedDevice> MountedDevice::mount(const std::string& device, const std::string& directory,
                                           const std::string& type) {
    if (::mount(device.c_str(), directory.c_str(), type.c_str(), 0, nullptr) != 0) {
        return fail_call("mount " + device + " on " + directory, "mount");
    }
    return MountedDevice(directory);
}

MountedDevice::~MountedDevice() {
    if (!directory_.empty()) umount2(directory_.c_str(), MNT_DETACH);
}

}  // namespace ctr::test
