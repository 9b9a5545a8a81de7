// --device, --files, --size and --force: which devices are written over.
#pragma once

#include "cmd/bench/io.h"
#include "cmd/given.h"

namespace ctr::bench {

Result<IoOptions> take_devices(const cmd::Given& given, bool quick);

}  // namespace ctr::bench
