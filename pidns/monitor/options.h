// What a container's monitor is to be like.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pidns/model/numbering.h"

namespace ctr::pidns {

// A file of the container's root that a copy lies over (covers.h).
struct CoveredFile {
    std::string name;  // the last component of its path
    dev_t device = 0;  // of the copy
    ino_t inode = 0;
};

struct MonitorOptions {
    Model model = Model::flat;
    uint32_t pid_max = 32768;  // as kernel.pid_max, for each namespace
    std::vector<CoveredFile> covered;
    std::function<void(const std::string&)>
        warn;  // for a person to read: a program that can't be served, and why
};

}  // namespace ctr::pidns
