// Limits on paths become limits on disks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cgroup/device.h"
#include "cgroup/host.h"
#include "cgroup/io_limit.h"
#include "runtime/base/error.h"

namespace ctr::cgroup {

// Limits by whole disk. The paths in the values are for messages only.
using LimitsByDevice = std::map<DeviceNumber, IoLimit>;

struct ResolvedLimits {
    std::map<DeviceNumber, BlockDevice> devices;
    LimitsByDevice limits;
    std::vector<std::string> warnings;  // what isn't as one may expect
    std::vector<std::string> notes;     // what each path was resolved to
};

// Several limits for one device, as for two partitions of a disk, are all kept by keeping the lowest.
Result<ResolvedLimits> resolve(const std::vector<IoLimit>& limits, const Host& host = {});

}  // namespace ctr::cgroup
