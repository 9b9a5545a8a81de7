// Other limits for a container that runs.
#pragma once

#include <string>
#include <vector>

#include "cgroup/limits.h"
#include "runtime/base/error.h"
#include "runtime/registry.h"

namespace ctr {

// INTO with what isn't 0 in CHANGED in its place.
void merge_limits(const cgroup::Limits& changed, cgroup::Limits& into);

// Sets what isn't 0 in the limits, and writes it down. The result is for the user: what isn't limited in
// full. An error if the container doesn't run, or can't be limited so; then nothing is written down.
Result<std::vector<std::string>> update_limits(const Registry& registry, const Entry& entry,
                                               const cgroup::Limits& limits);

}  // namespace ctr
