// What a container's monitor is to be like.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pidns/model/numbering.h"
#include "runtime/base/fd.h"

namespace ctr::pidns {

// A file of the container's root that a copy lies over (covers.h).
struct CoveredFile {
    std::string name;  // the last component of its path
    dev_t device = 0;  // of the copy
    ino_t inode = 0;
};

// Makes the copy of an image, to be found by the next container that has it at this path. Takes its time.
using MakeCopy = std::function<void(const Fd& image, const std::string& path)>;

struct MonitorOptions {
    Model model = Model::flat;
    uint32_t pid_max = 32768;  // as kernel.pid_max, for each namespace
    std::vector<CoveredFile> covered;
    MakeCopy make_copy;  // of programs that were found to have none; empty: not wanted
    std::function<void(const std::string&)>
        warn;  // for a person to read: a program that can't be served, and why
};

}  // namespace ctr::pidns
