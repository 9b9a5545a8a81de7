// Limits as JSON: in a container's state, and where they are sent.
#pragma once

#include <optional>

#include "cgroup/limits.h"
#include "runtime/json_fields.h"

namespace ctr {

// What isn't limited is left out.
Json json_from(const cgroup::Limits& limits);
Json json_from(const cgroup::IoLimit& limit);

// Nothing: it isn't as these write it.
std::optional<cgroup::Limits> limits_from(const Json& object);
std::optional<cgroup::IoLimit> io_limit_from(const Json& object);

}  // namespace ctr
