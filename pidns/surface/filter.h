// The seccomp filter of the pid layer, generated from the surface table.
#pragma once

#include <linux/filter.h>

#include <vector>

#include "runtime/base/error.h"

namespace ctr::pidns {

// A call of the surface without the mark (mark.h) becomes a user notification; everything else passes.
// Programs of a foreign architecture (i386, x32), whose calls the table doesn't describe, become
// notifications as well, so that the monitor can end them with a clear message. Pure: installs nothing.
Result<std::vector<sock_filter>> build_filter();

}  // namespace ctr::pidns
