// What a user-space throttle has done on one disk since the container began: the original controller's
// throttlecnt.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "cgroup/io_limit.h"

namespace ctr::cgroup {

struct ThrottleCounters {
    DeviceNumber device = {};
    std::string name = {};          // "vda"
    uint64_t write_bytes = 0;       // that writers asked for; what failed or was cut short counts in full
    uint64_t write_operations = 0;  // calls
    uint64_t throttled = 0;         // of these, how many had to wait
    std::chrono::nanoseconds time = {};  // how long they waited, all together
};

}  // namespace ctr::cgroup
