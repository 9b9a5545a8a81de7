// Cgroup v2: the io controller. The texts of the files as pure functions; the rest is Backend's.
#pragma once

#include <string>
#include <string_view>

#include "cgroup/backend.h"

namespace ctr::cgroup::v2 {

// What is written to io.max: "7:0 wbps=5242880 riops=100". Only what is limited is named; the rest stays as
// it is.
std::string io_max_line(DeviceNumber device, const IoLimit& limit);

// The counters of the line "7:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0" of io.stat; zeros without
// one.
IoCounters counters(std::string_view text, DeviceNumber device);

}  // namespace ctr::cgroup::v2
