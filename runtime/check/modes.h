// Whole launches, in each mode of numbering.
#pragma once

#include <vector>

#include "runtime/check/attempt.h"

namespace ctr::check {

inline constexpr const char* modes_area = "--pidns";

// ITEMS: what was found before, of which a mode says what limits it.
std::vector<Item> check_modes(const Situation& situation, const std::vector<Item>& items);

}  // namespace ctr::check
