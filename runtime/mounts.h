// What is mounted into a container beside its root: values. Pure data, as the Spec that they are part of.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/export.h"

namespace ctr {

// Targets are absolute, as seen inside, and not the root itself.

// A host's file or directory, with all that is mounted below it.
struct Bind {
    std::string source;  // a host's path
    std::string target;
    bool read_only = false;
    bool operator==(const Bind&) const = default;
};

// An empty file system in memory.
struct Tmpfs {
    std::string target;
    uint64_t size = 0;  // bytes; 0: the kernel's default, half of the memory
    mode_t mode = 01777;
    bool operator==(const Tmpfs&) const = default;
};

// A private /dev: null, zero and their like, terminals and shared memory of its own.
struct Devices {
    std::string target;
    bool operator==(const Devices&) const = default;
};

using MountRequest = std::variant<Bind, Tmpfs, Devices>;

CTR_API const std::string& target_of(const MountRequest& mount);

// Refuses what can be refused without looking at the host.
CTR_API Status validate(const std::vector<MountRequest>& mounts);

}  // namespace ctr
