// Limits that the kernel keeps for each process (setrlimit), by the names that docker and the shell's ulimit
// have for them.
#pragma once

#include <sys/resource.h>

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/export.h"

namespace ctr {

struct Ulimit {
    __rlimit_resource resource = RLIMIT_NOFILE;
    rlim_t soft = RLIM_INFINITY;
    rlim_t hard = RLIM_INFINITY;
    bool operator==(const Ulimit&) const = default;
};

// "nofile=1024:2048", "nproc=100" (both limits), "core=unlimited" or "core=-1". In the kernel's own units:
// bytes, seconds (rttime: microseconds), numbers.
CTR_API Result<Ulimit> parse_ulimit(std::string_view text);

std::vector<std::string> ulimit_names();

// "nofile=1024:unlimited"
CTR_API std::string format(const Ulimit& limit);

}  // namespace ctr
