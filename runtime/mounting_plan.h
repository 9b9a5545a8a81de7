// The mounts that were asked for, as steps.
#pragma once

#include <vector>

#include "runtime/action.h"
#include "runtime/base/error.h"
#include "runtime/devices.h"
#include "runtime/spec.h"

namespace ctr::mounting_plan {

struct Steps {
    std::vector<Step> before;  // before anything else is mounted
    std::vector<Step> mounts;
};

// Opens the sources to hold on to their identity; changes nothing. Where a target is missing it is made, but
// not in the host's own root: nobody's files change.
Result<Steps> steps(const Spec& spec, devices::Options options);

}  // namespace ctr::mounting_plan
