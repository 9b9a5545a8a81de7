// Other limits for groups that exist.
#pragma once

#include <string>
#include <vector>

#include "cgroup/host.h"
#include "cgroup/limits.h"
#include "runtime/base/error.h"

namespace ctr::cgroup {

// Sets what isn't 0 in the limits, for all groups of one container. What can be refused beforehand is refused
// before anything is changed: a controller that no group has, a device that there isn't, less memory than is
// in use. The result is for the user: what isn't limited in full, or not as it was asked for.
Result<std::vector<std::string>> change_limits(const std::vector<std::string>& directories,
                                               const Limits& limits, const Host& host = {});

}  // namespace ctr::cgroup
