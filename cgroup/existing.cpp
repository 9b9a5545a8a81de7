#include "cgroup/existing.h"

#include <linux/magic.h>

#include <utility>

namespace ctr::cgroup {

std::vector<ExistingGroup> open_groups(const std::vector<std::string>& directories) {
    constexpr std::pair<unsigned long, Version> kinds[] = {{CGROUP_SUPER_MAGIC, Version::v1},
                                                           {CGROUP2_SUPER_MAGIC, Version::v2}};
    std::vector<ExistingGroup> groups;
    for (const std::string& path : directories) {
        auto directory = Directory::open(path, "open a cgroup");
        if (!directory) continue;
        for (const auto& [magic, version] : kinds)
            if (check_file_system(directory->fd(), path, magic)) {
                groups.push_back({std::move(*directory), version});
                break;
            }
    }
    return groups;
}

}  // namespace ctr::cgroup
