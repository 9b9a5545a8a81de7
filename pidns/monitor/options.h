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

class Listener;
struct Trap;

// Calls that carry no number, and that somebody else has to decide about (filter_with).
struct Watched {
    std::vector<long> calls;
    // One has trapped. Whoever is told answers it, sooner or later; the listener outlives the monitor's run.
    std::function<void(const Listener&, const Trap&)> arrived;
};

struct MonitorOptions {
    Model model = Model::flat;
    uint32_t pid_max = 32768;  // as kernel.pid_max, for each namespace
    std::vector<CoveredFile> covered;
    MakeCopy make_copy;  // of programs that were found to have none; empty: not wanted
    Watched watched;
    std::function<void(const std::string&)>
        warn;  // for a person to read: a program that can't be served, and why
};

}  // namespace ctr::pidns
