// What a limit costs that is far above what the device can do: the overhead test of io-throttle (2009). Two
// file systems are made in parallel, on a device each, again and again: without a cgroup, in one, and in one
// with a limit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cmd/bench/loop_device.h"
#include "cmd/bench/session.h"

namespace ctr::bench {

struct IoOptions {
    std::vector<std::string> devices;  // two, which are written over; none: loop devices
    std::string directory;             // where the loop devices' files are
    uint64_t bytes = 0;                // of each loop device
    bool force = false;                // what is on the devices may be lost
};

inline constexpr uint64_t quick_bytes = 1ULL << 31;
inline constexpr uint64_t full_bytes = 1ULL << 34;

inline constexpr const char* mkfs_title = "mkfs.ext2 on two devices in parallel";
inline constexpr const char* fio_title = "random writes to both devices (fio)";

// The devices, for as long as this lives.
class TwoDevices {
  public:
    static Result<TwoDevices> get(const IoOptions& options);
    const std::string& first() const { return first_; }
    const std::string& second() const { return second_; }

  private:
    std::vector<LoopDevice> loops_;
    std::string first_;
    std::string second_;
};

// host, in a cgroup, with a limit kept by the kernel, and by ctr.
std::vector<Configuration> io_configurations(const TwoDevices& devices);

// Measures both; without fio that is skipped. Error: there are no devices to be had.
Status measure_io(Session& session, const IoOptions& options, bool quick, const Plan& pace);

// The recordings in the layout of the source, with what it had found.
std::string io_digest(const Report& report);

}  // namespace ctr::bench
