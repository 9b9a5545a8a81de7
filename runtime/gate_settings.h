// What the write gate keeps, as a value.
#pragma once

#include <string>
#include <vector>

#include "cgroup/resolved_limits.h"

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

// Those of the disks whose writes are limited.
inline std::vector<GatedDisk> gated_disks(const cgroup::ResolvedLimits& limits) {
    std::vector<GatedDisk> disks;
    for (const auto& [number, limit] : limits.limits)
        if (limits_writes(limit)) disks.push_back({number, limits.devices.at(number).name, limit});
    return disks;
}

}  // namespace ctr
