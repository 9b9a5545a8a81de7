// The capabilities of the calling thread, and what an execution does to them.
#pragma once

#include <cstdint>

#include "runtime/base/error.h"

namespace ctr::own_caps {

struct Sets {  // of bits, as in caps.h
    uint64_t effective = 0;
    uint64_t permitted = 0;
    uint64_t inheritable = 0;
    bool operator==(const Sets&) const = default;
};

Result<Sets> read();
Status write(const Sets& sets);

// SET, permitted ones, will be the executed program's too. The call that failed, or nullptr.
// Async-signal-safe.
const char* keep_over_execution(uint64_t set);

}  // namespace ctr::own_caps
