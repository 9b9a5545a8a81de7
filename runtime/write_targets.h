// Which of the limited disks a descriptor of the container's leads to.
#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "cgroup/device.h"
#include "runtime/base/ids.h"

namespace ctr {

class WriteTargets {
  public:
    // Others than before.
    void limit(std::set<cgroup::DeviceNumber> limited) {
        limited_ = std::move(limited);
        known_.clear();
    }

    // The root that a process sees is an overlay, and what is written to it goes to that disk.
    void add_overlay(HostPid process, cgroup::DeviceNumber disk);

    // The limited disk that holds the regular file, or that is the block device (or has it for a partition),
    // which the thread has open. Nothing: neither, or not limited, or the thread is gone. Never waits for a
    // file system that the container may serve. Who has sent the thread here must be checked for validity
    // afterwards.
    std::optional<cgroup::DeviceNumber> find(HostPid thread, int fd);

  private:
    // Of file systems without a device of their own (btrfs, overlay) only a mount says more.
    struct Place {
        bool node = false;
        cgroup::DeviceNumber device = {};
        uint64_t mount = 0;
        auto operator<=>(const Place&) const = default;
    };
    std::optional<cgroup::DeviceNumber> look_up(HostPid thread, const Place& place,
                                                const cgroup::FileFacts& facts) const;

    std::set<cgroup::DeviceNumber> limited_;
    std::map<cgroup::DeviceNumber, cgroup::DeviceNumber> overlays_;  // by the number of their file system
    std::map<Place, std::optional<cgroup::DeviceNumber>> known_;
};

}  // namespace ctr
