// What cgroups allow. The groups are made by a child that nothing but SIGKILL ends before it has removed
// them; should that happen, the caller does; should both be killed at once, they stay.
#pragma once

#include <vector>

#include "runtime/check/check.h"

namespace ctr::check {

std::vector<Item> check_groups();

}  // namespace ctr::check
