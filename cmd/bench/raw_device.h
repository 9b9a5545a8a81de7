// A block device that somebody offers to be written over.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/base/error.h"

namespace ctr::bench {

enum class Contents {
    must_be_empty,  // where a file system or partition table would begin: nothing but zeros
    may_be_lost,
};

struct RawDevice {
    std::string path;
    uint64_t bytes = 0;
    uint64_t number = 0;  // stat's st_rdev: the same device has the same under every name

    // Refuses what is no block device, what is in use (mounted, swap, part of another device), whatever
    // CONTENTS says, and what isn't empty, if it must be. Reads only.
    static Result<RawDevice> examine(const std::string& path, Contents contents);
};

}  // namespace ctr::bench
