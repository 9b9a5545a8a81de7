// Cgroup v1: the blkio controller's throttle files. The texts of the files as pure functions; the rest is
// Backend's.
#pragma once

#include <string_view>

#include "cgroup/backend.h"

namespace ctr::cgroup::v1 {

// Adds the lines "7:0 5242880" of a blkio.throttle.*_device file to the limits.
void add_throttle_lines(std::string_view text, const IoQuantity& quantity, LimitsByDevice& limits);

// The value of a line "7:0 Read 4096" in blkio.throttle.io_service_bytes or io_serviced; 0 without such a
// line.
uint64_t counter(std::string_view text, DeviceNumber device, std::string_view direction);

}  // namespace ctr::cgroup::v1
