// The file system that the container sees, as steps: on the host's root with private mounts, or on a
// directory with /dev, /tmp, /proc and /sys of its own.
#pragma once

#include <vector>

#include "runtime/action.h"
#include "runtime/base/error.h"
#include "runtime/facts.h"
#include "runtime/spec.h"

namespace ctr::rootfs {

struct Situation {
    bool other_user_namespace = false;  // than the caller's
};

// Opens the root directory to hold on to its identity; changes nothing.
Result<std::vector<Step>> steps(const Spec& spec, const HostFacts& facts, Situation situation,
                                std::vector<action::Placement> placements);

}  // namespace ctr::rootfs
