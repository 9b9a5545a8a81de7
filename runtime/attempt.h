// One try of something in a child that ends with it. Its steps are a launch's.
#pragma once

#include <vector>

#include "runtime/launch.h"

namespace ctr {

// Executes the steps in new namespaces (CLONE_NEW*). An error is the first of a step, explained.
Status attempt(uint64_t namespaces, std::vector<Step> steps, const BeforeGo& before_go = {});

}  // namespace ctr
