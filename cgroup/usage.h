// What the processes of a container use, by the kernel's own counts for their groups. What no group counts is
// absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/backend.h"
#include "cgroup/existing.h"

namespace ctr::cgroup {

// How often and how long processes were made to wait because of a limit. The kernel doesn't count that.
struct Throttled {
    uint64_t times = 0;
    uint64_t microseconds = 0;
    bool operator==(const Throttled&) const = default;
};

struct DeviceUsage {
    DeviceNumber device;
    IoCounters counters;
    std::optional<Throttled> throttled;  // known where limits are kept in user space
    bool operator==(const DeviceUsage&) const = default;
};

struct Usage {
    std::optional<uint64_t> cpu;     // microseconds
    std::optional<uint64_t> memory;  // bytes, without the cache of files that could be dropped at once
    std::optional<uint64_t> memory_limit;
    std::optional<uint64_t> pids;  // processes and threads
    std::optional<uint64_t> pids_limit;
    std::optional<std::vector<DeviceUsage>> io;
};

// DIRECTORIES: all groups of one container; those that aren't there don't matter.
Usage read_usage(const std::vector<std::string>& directories);

// The number of a line "KEY NUMBER" in a file such as memory.stat or cpu.stat.
std::optional<uint64_t> keyed_number(std::string_view text, std::string_view key);

// The devices that lines of io.stat or blkio.throttle.* begin with, each once.
std::vector<DeviceNumber> devices_in(std::string_view text);

}  // namespace ctr::cgroup
