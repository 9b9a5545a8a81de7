// Whether ids beyond the caller's own can be mapped into a user namespace.
#pragma once

#include "runtime/check/attempt.h"

namespace ctr::check {

Finding map_another_id(const Situation& situation);

}  // namespace ctr::check
