// Other limits for a container that runs.
#pragma once

#include <string>
#include <vector>

#include "cgroup/limits.h"
#include "runtime/base/error.h"
#include "runtime/registry.h"

namespace ctr {

// Sets what isn't 0 in the limits (`unlimited` lifts it), where they are kept: in the control groups, and by
// the write gate (limiting.h) if it has one; and writes it down. All of it or nothing. Of several limits that
// concern one disk the lowest holds, also of those that it has already by other paths.
//
// The result is for the user: what isn't limited in full, or not as it was asked for. An error if the
// container doesn't run, or can't be limited so.
Result<std::vector<std::string>> update_limits(const Registry& registry, const Entry& entry,
                                               const cgroup::Limits& limits);

}  // namespace ctr
