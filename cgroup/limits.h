// What a container may use, as a value. 0 means "not limited".
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/io_limit.h"
#include "runtime/base/error.h"
#include "runtime/base/export.h"

namespace ctr::cgroup {

// What the kernel limits a kind of resource with, or stops processes with. v1 has its own name for one of
// them.
struct Controller {
    std::string_view name;  // v2's; empty where every group of v2 can do it
    std::string_view v1_name;
    auto operator<=>(const Controller&) const = default;
};
inline constexpr Controller io_controller{"io", "blkio"};
inline constexpr Controller memory_controller{"memory", "memory"};
inline constexpr Controller cpu_controller{"cpu", "cpu"};
inline constexpr Controller pids_controller{"pids", "pids"};
inline constexpr Controller freezer{"", "freezer"};
inline constexpr Controller cpu_accounting{"", "cpuacct"};

struct Limits {
    std::vector<IoLimit> io;
    uint64_t memory = 0;     // bytes; as much again may lie in swap
    uint64_t cpu = 0;        // microseconds of processor time in each cpu_period, by all processes together
    uint64_t pids = 0;       // processes and threads
    uint64_t io_weight = 0;  // among those who use a device at the same time; 100 is usual. For disks whose
                             // scheduler is bfq, or that io.cost was switched on for
    bool operator==(const Limits&) const = default;
};

inline constexpr uint64_t cpu_period = 100'000;  // microseconds, the kernel's own choice

// The limits on one number each, for code that treats them alike.
struct Quantity {
    const Controller& controller;
    uint64_t Limits::*member;
    std::string_view words;
    uint64_t least;  // the kernel takes less for an error, or nothing could run
    uint64_t most;
};
inline constexpr std::array<Quantity, 4> quantities{
    {{memory_controller, &Limits::memory, "memory", 1U << 20, uint64_t{1} << 62},
     {cpu_controller, &Limits::cpu, "processor time", 1'000, uint64_t{1} << 40},
     {pids_controller, &Limits::pids, "number of processes", 1, 1U << 22},
     {io_controller, &Limits::io_weight, "weight among the users of devices", 10, 1000}}};

// What isn't 0 in CHANGED takes the place of what is in INTO, or lifts it (`unlimited`). A rate without a
// strategy keeps the one that was.
CTR_API void change(const Limits& changed, Limits& into);

// Those that the limits need; none: no group is needed.
CTR_API std::vector<Controller> controllers_of(const Limits& limits);

// "512MiB of memory"; for what is limited.
CTR_API std::string describe(const Limits& limits);

// A number that a program filled in by itself may be none that the kernel takes.
CTR_API Status validate(const Limits& limits);

// Bytes: a number and a unit as in rates ("512m", "1.5GiB").
CTR_API Result<uint64_t> parse_memory(std::string_view text);

// Processors: "1.5", at most five digits after the point; at least 0.01.
CTR_API Result<uint64_t> parse_cpus(std::string_view text);

}  // namespace ctr::cgroup
