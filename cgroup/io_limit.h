// A limit on one block device's traffic, as a value. Rates are per second; 0 means "not limited".
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/export.h"

namespace ctr::cgroup {

struct DeviceNumber {
    unsigned major = 0;
    unsigned minor = 0;
    auto operator<=>(const DeviceNumber&) const = default;
};

// "7:0", as the kernel's control files spell it.
CTR_API std::string to_string(DeviceNumber number);

// Reads that back; a newline at the end is allowed. Nothing if it is anything else.
CTR_API std::optional<DeviceNumber> parse_device_number(std::string_view text);

struct IoLimit {
    std::string
        path;  // as the user gave it: a block device, a partition, or any file ("the device that holds this")
    uint64_t read_bytes = 0;
    uint64_t write_bytes = 0;
    uint64_t read_operations = 0;   // at most 2^32-1, as in the kernel
    uint64_t write_operations = 0;  // likewise
    auto operator<=>(const IoLimit&) const = default;
};

// "reads: not limited; writes: 5MiB/s and 100 operations/s"
CTR_API std::string describe_rates(const IoLimit& limit);

// The four things that can be limited, for code that treats them alike.
struct IoQuantity {
    std::string_view words;     // "write bytes"
    uint64_t IoLimit::*member;  // where an IoLimit keeps it
    bool operations;            // counts operations, not bytes
    bool writes;                // concerns writes, not reads
};

inline constexpr IoQuantity io_read_bytes{"read bytes", &IoLimit::read_bytes, false, false};
inline constexpr IoQuantity io_write_bytes{"write bytes", &IoLimit::write_bytes, false, true};
inline constexpr IoQuantity io_read_operations{"read operations", &IoLimit::read_operations, true, false};
inline constexpr IoQuantity io_write_operations{"write operations", &IoLimit::write_operations, true, true};
inline constexpr IoQuantity io_quantities[] = {io_read_bytes, io_write_bytes, io_read_operations,
                                               io_write_operations};

// "PATH:RATE", split at the last colon: paths may contain colons ("/dev/disk/by-path/pci-0000:00:02.0:5mb").
// The views point into the text. Neither part is empty.
struct LimitText {
    std::string_view path;
    std::string_view rate;
};
CTR_API Result<LimitText> split_limit(std::string_view text);

// What `--device-write-bps PATH:RATE` and its siblings mean: parses the text and adds it to the limits; a
// limit with the same path takes it up. Naming the same quantity of one path twice is an error.
CTR_API Status add_limit(std::vector<IoLimit>& limits, const IoQuantity& quantity, std::string_view text);

}  // namespace ctr::cgroup
