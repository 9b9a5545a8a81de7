// The options that limit a container's resources, which several verbs take.
#pragma once

#include <vector>

#include "cgroup/limits.h"
#include "cmd/given.h"
#include "cmd/option_table.h"
#include "runtime/base/error.h"

namespace ctr::cmd {

// Those of ctr run that can be changed while a container runs.
std::vector<Option> limit_options();

// Words that lift a limit are no limits: an error where there is none yet that they could mean. In io.max the
// kernel itself has "max".
Status refuse_lifting(const Given& given);

// `unlimited` where they say that there is to be no limit.
Status take_limits(const Given& given, cgroup::Limits& limits);

}  // namespace ctr::cmd
