// What the write gate keeps, as a value.
#pragma once

#include <string>
#include <vector>

#include "cgroup/io_limit.h"

namespace ctr {

struct GatedDisk {
    cgroup::DeviceNumber device = {};
    std::string name = {};       // "vda"
    cgroup::IoLimit limit = {};  // its writes; what it says of reads is ignored
    bool operator==(const GatedDisk&) const = default;
};

struct GateSettings {
    bool all_writes = false;  // of limits on writes all are kept here, not only those that name a strategy
    std::vector<GatedDisk> disks;
    bool operator==(const GateSettings&) const = default;
};

}  // namespace ctr
