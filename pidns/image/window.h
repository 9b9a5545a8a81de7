// A window of instructions that a jump can replace: long enough, of nothing but instructions that can be
// moved, and nothing else leads to its inside.
#pragma once

#include <vector>

#include "pidns/image/flow.h"

namespace ctr::pidns::image {

inline constexpr uint64_t jump_size = 5;
inline constexpr uint64_t system_call_size = 2;

struct Window {
    Range range;
    std::vector<Instruction> before;  // the system call
    std::vector<Instruction> after;   // it
};

// Around the system call. Returns why there is none, or nullptr.
const char* find_window(const Flow& flow, Address system_call, Window& window);

}  // namespace ctr::pidns::image
