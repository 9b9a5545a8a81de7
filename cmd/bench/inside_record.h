// What the wrapper inside says of a command, in one write of fewer than PIPE_BUF bytes.
#pragma once

#include <cstdint>
#include <type_traits>

namespace ctr::bench {

struct InsideRecord {
    static constexpr uint64_t right_magic = 0x62656e63682d3031;
    uint64_t magic = right_magic;
    int64_t begun = 0;  // CLOCK_MONOTONIC, ns: just before the command's fork
    int64_t wall = 0;   // ns, until it has been waited for
    int64_t user = 0;   // us; of the command and of what it has waited for, as the next two
    int64_t system = 0;
    int64_t memory = 0;      // KiB, of the largest process
    int32_t status = 0;      // as wait4 has it
    int32_t exec_error = 0;  // errno; else 0
};
static_assert(std::is_trivially_copyable_v<InsideRecord>);

}  // namespace ctr::bench
