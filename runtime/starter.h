// Whoever started a keeper, seen from there.
#pragma once

#include "runtime/base/error.h"
#include "runtime/base/fd.h"
#include "runtime/base/ids.h"

namespace ctr {

// Readable when this process's parent has ended, which is to be PARENT.
Result<Fd> watch_parent(HostPid parent);

}  // namespace ctr
