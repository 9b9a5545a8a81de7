// Rates as people write them. Pure functions; numbers are parsed strictly and whole.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/error.h"

namespace ctr::cgroup {

// Bytes per second: a number, a unit and perhaps "/s": `10mb`, `1.5GiB`, `400MB/s`, `500kb`, `5242880`.
// Units are Docker's: b, k, m, g, t, each alone, with "b" or with "ib", in any case, and all of them powers
// of 1024
// (`1kb` = `1KiB` = 1024). A fraction needs a unit, has at most six digits, and is rounded down to whole
// bytes. Refused: zero, signs, blanks, bits ("mbit", "mbps"), more than 2^64-1, anything left over.
Result<uint64_t> parse_rate(std::string_view text);

// The same without "/s"; WHAT and EXAMPLES are for the error.
Result<uint64_t> parse_bytes(std::string_view what, std::string_view text, std::string_view examples);

// Operations per second: a whole number from 1 to 2^32-1 without a unit; "/s" may follow. The kernel keeps 32
// bits, and cgroup v1 silently drops the rest of a larger number.
Result<uint64_t> parse_operations(std::string_view text);

// The shortest exact spelling: "5MiB".
std::string format_bytes(uint64_t bytes);

// The shortest exact spelling: "5MiB/s", "1000B/s". Read back by parse_rate to the same number, for all but
// 0.
std::string format_rate(uint64_t bytes_per_second);

}  // namespace ctr::cgroup
