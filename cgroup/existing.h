// Groups that exist, by their paths: for whoever didn't make them. A path is believed only if it leads into a
// cgroup file system.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cgroup/backend.h"
#include "cgroup/control_file.h"

namespace ctr::cgroup {

struct ExistingGroup {
    Directory directory;
    Version version;
};

// Those among the paths that are there.
std::vector<ExistingGroup> open_groups(const std::vector<std::string>& directories);

}  // namespace ctr::cgroup
