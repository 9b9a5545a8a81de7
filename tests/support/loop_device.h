// Block devices for tests, and what is mounted from them.
#pragma once

#include <string>

#include "cmd/bench/loop_device.h"

namespace ctr::test {

using bench::LoopDevice;

// A loop device over a file in TMPDIR.
Result<LoopDevice> attach_loop_device(uint64_t bytes, LoopDevice::Layout layout = LoopDevice::Layout::whole);

// A mount that is undone at the end of the scope.
class MountedDevice {
  public:
    static Result<MountedDevice> mount(const std::string& device, const std::string& directory,
                                       const std::string& type);
    MountedDevice(MountedDevice&& other) noexcept : directory_(std::move(other.directory_)) {
        other.directory_.clear();
    }
    MountedDevice& operator=(MountedDevice&&) = delete;
    ~MountedDevice();

  private:
    explicit MountedDevice(std::string directory) : directory_(std::move(directory)) {}
    std::string directory_;  // empty: nothing to undo
};

}  // namespace ctr::test
