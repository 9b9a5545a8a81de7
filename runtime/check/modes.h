// Whole launches, in each mode of numbering.
#pragma once

#include <vector>

#include "runtime/check/check.h"
#include "runtime/spec.h"

namespace ctr::check {

inline constexpr const char* modes_area = "--pidns";

// ITEMS: what was found before, of which a mode says what limits it.
std::vector<Item> check_modes(const Spec& spec, const std::vector<Item>& items);

}  // namespace ctr::check
