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

// In a change of limits, where 0 is "as it was": not limited any more.
inline constexpr uint64_t unlimited = UINT64_MAX;

// Whether a text says so: "0", "-1" (as to docker), or "max" (as to the kernel).
CTR_API bool lifts(std::string_view text);

struct DeviceNumber {
    unsigned major = 0;
    unsigned minor = 0;
    auto operator<=>(const DeviceNumber&) const = default;
};

// "7:0", as the kernel's control files spell it.
CTR_API std::string to_string(DeviceNumber number);

// Reads that back; a newline at the end is allowed. Nothing if it is anything else.
CTR_API std::optional<DeviceNumber> parse_device_number(std::string_view text);

// How a rate is kept in user space (bucket.h). The kernel has its own way, which can't be chosen.
enum class Strategy : uint8_t {
    any,    // whoever keeps the rate decides; in user space as leaky
    leaky,  // nothing is saved up: precise, caps early
    token,  // what wasn't used is saved up, to the size of the bucket: bursts
};

// "leaky", "token"; "" for any, and back.
CTR_API std::string_view word_for(Strategy strategy);
CTR_API Strategy strategy_of(std::string_view word);

struct Pace {
    Strategy strategy = Strategy::any;
    uint64_t bucket = 0;  // of token: bytes or operations; 0: what the rate gives in a second
    auto operator<=>(const Pace&) const = default;
};

struct IoLimit {
    std::string
        path;  // as the user gave it: a block device, a partition, or any file ("the device that holds this")
    uint64_t read_bytes = 0;
    uint64_t write_bytes = 0;
    uint64_t read_operations = 0;   // at most 2^32-1, as in the kernel
    uint64_t write_operations = 0;  // likewise
    Pace write_bytes_pace = {};     // reads are the kernel's
    Pace write_operations_pace = {};
    uint64_t latency = 0;  // microseconds in which the device is to answer: where it doesn't, groups that
                           // ask for less have to wait (cgroup v2)
    auto operator<=>(const IoLimit&) const = default;
};

inline bool limits_reads(const IoLimit& limit) {
    return limit.read_bytes != 0 || limit.read_operations != 0;
}
inline bool limits_writes(const IoLimit& limit) {
    return limit.write_bytes != 0 || limit.write_operations != 0;
}

inline bool limits_anything(const IoLimit& limit) {
    return limits_reads(limit) || limits_writes(limit) || limit.latency != 0;
}

inline bool names_strategy(const IoLimit& limit) {
    return limit.write_bytes_pace != Pace{} || limit.write_operations_pace != Pace{};
}

// "reads: not limited; writes: 5MiB/s (token bucket of 10MiB) and 100 operations/s"
CTR_API std::string describe_rates(const IoLimit& limit);

// The four things that can be limited, for code that treats them alike.
struct IoQuantity {
    std::string_view words;     // "write bytes"
    std::string_view key;       // as in io.max
    uint64_t IoLimit::*member;  // where an IoLimit keeps it
    Pace IoLimit::*pace;        // null for reads
    bool operations;            // counts operations, not bytes
};

inline constexpr IoQuantity io_read_bytes{"read bytes", "rbps", &IoLimit::read_bytes, nullptr, false};
inline constexpr IoQuantity io_write_bytes{"write bytes", "wbps", &IoLimit::write_bytes,
                                           &IoLimit::write_bytes_pace, false};
inline constexpr IoQuantity io_read_operations{"read operations", "riops", &IoLimit::read_operations, nullptr,
                                               true};
inline constexpr IoQuantity io_write_operations{"write operations", "wiops", &IoLimit::write_operations,
                                                &IoLimit::write_operations_pace, true};
inline constexpr IoQuantity io_quantities[] = {io_read_bytes, io_write_bytes, io_read_operations,
                                               io_write_operations};

// Lowers what is limited in INTO to the lower of both, with its pace; true if both limited some quantity,
// differently.
bool merge(const IoLimit& from, IoLimit& into);

// "PATH:RATE", split at the last colon: paths may contain colons ("/dev/disk/by-path/pci-0000:00:02.0:5mb").
// The original controller's form goes on with ":STRATEGY" and ":BUCKET"; then the rate is what stands before
// these. The views point into the text. Neither path nor rate is empty.
struct LimitText {
    std::string_view path;
    std::string_view rate;
    std::string_view strategy;  // empty: none was given
    std::string_view bucket;    // likewise
};
CTR_API Result<LimitText> split_limit(std::string_view text);

// What `--device-write-bps PATH:RATE[:STRATEGY[:BUCKET]]` and its siblings mean: parses the text and adds it
// to the limits; a limit with the same path takes it up. Naming the same quantity of one path twice is an
// error.
CTR_API Status add_limit(std::vector<IoLimit>& limits, const IoQuantity& quantity, std::string_view text);

// What `--io-latency PATH:TIME` means, likewise; TIME: 10ms, 500us, 1s.
CTR_API Status add_latency(std::vector<IoLimit>& limits, std::string_view text);

// The same for `--io-max 'PATH: rbps=RATE wbps=RATE[:STRATEGY[:BUCKET]] riops=N wiops=N'`, the words of the
// kernel's io.max.
CTR_API Status add_io_max(std::vector<IoLimit>& limits, std::string_view text);

}  // namespace ctr::cgroup
