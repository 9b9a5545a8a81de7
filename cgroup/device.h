// From a path to the block device whose traffic can be limited.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "cgroup/host.h"
#include "cgroup/io_limit.h"
#include "runtime/base/error.h"

namespace ctr::cgroup {

// A whole disk (the kernel refuses limits on partitions), and how the path led to it.
struct BlockDevice {
    enum class Found {
        node,    // the path is the device, or a partition of it
        holder,  // the path is a file or directory on it
        source,  // the same, and the device is known from the mount only (btrfs: st_dev is not a device)
    };

    DeviceNumber number = {};
    std::string name = {};               // "loop0", as in /sys/block
    DeviceNumber partition_number = {};  // the partition that the path led to, if partition isn't empty
    std::string partition = {};          // "sda1"
    std::string path = {};               // as given
    Found found = Found::node;

    // "/dev/sda1 is sda1 (8:1), a partition of sda (8:0)"
    std::string describe() const;
};

// What stat knows about a path; apart, so that tests can resolve what this host doesn't have.
struct FileFacts {
    mode_t mode = 0;
    DeviceNumber device = {};  // that holds it
    DeviceNumber node = {};    // that it is, for device nodes
    uint64_t mount = 0;        // its number in /proc/self/mountinfo
};
Result<FileFacts> look_at(const std::string& path);

// Finds the device: a block device node (symbolic links are followed), a partition (its whole disk), device
// mapper, loop, or any file or directory ("the device that holds this"). Refuses with a reason where there is
// none: tmpfs, overlay, fuse, network file systems.
Result<BlockDevice> find_device(const std::string& path, const Host& host = {});
Result<BlockDevice> find_device(const std::string& path, const FileFacts& facts, const Host& host);

}  // namespace ctr::cgroup
