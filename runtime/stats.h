// What a container that is written down uses, now and since it began.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/usage.h"
#include "runtime/base/error.h"
#include "runtime/base/ids.h"
#include "runtime/registry.h"

namespace ctr {

// Who has counted. Where no cgroup does, the processes are asked that there are: of those that have ended
// they know what their parents have waited for.
enum class Counted {
    nowhere,
    by_cgroup,
    in_processes,      // added up
    as_proportionate,  // memory: added up, what several share by equal parts (PSS)
    as_resident,       // memory: added up, what several share once for each (RSS)
};
const char* word_for(Counted counted);

struct IoTotal {  // of all devices
    uint64_t read_bytes = 0;
    uint64_t write_bytes = 0;
    std::optional<uint64_t> read_operations;  // of the devices; processes don't count these
    std::optional<uint64_t> write_operations;
};

struct Stats {
    std::string name;
    HostPid init = HostPid::none;
    std::chrono::steady_clock::time_point taken;
    uint64_t cpu = 0;  // microseconds
    Counted cpu_counted = Counted::nowhere;
    uint64_t memory = 0;  // bytes
    Counted memory_counted = Counted::nowhere;
    std::optional<uint64_t> memory_limit;
    uint64_t pids = 0;  // processes and threads
    Counted pids_counted = Counted::nowhere;
    std::optional<uint64_t> pids_limit;
    IoTotal io;
    Counted io_counted = Counted::nowhere;
    std::vector<cgroup::DeviceUsage> devices;  // only of what a cgroup counts
};

// An error if the container doesn't run.
Result<Stats> read_stats(const Entry& entry);

// The share of one processor between two readings, in percent: 200 for two that were busy all the time.
double cpu_percent(const Stats& before, const Stats& after);

// Texts of /proc, for read_stats. Clock ticks: user and system time of a process and of the children that it
// has waited for. Kilobytes behind "Pss:". Bytes behind "read_bytes:" of /proc/PID/io.
std::optional<uint64_t> ticks_in_stat(std::string_view text);
std::optional<uint64_t> threads_in_stat(std::string_view text);
std::optional<uint64_t> labelled_number(std::string_view text, std::string_view label);

}  // namespace ctr
