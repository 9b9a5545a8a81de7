// Where the programs are that are measured: ours (examples/), and those of other packages.
#pragma once

#include <string>

#include "runtime/base/error.h"

namespace ctr::bench {

// The directory with ours: CTR_EXAMPLES; else where they are installed, or built, beside ctr.
Result<std::string> own_program(const std::string& name);

// Whether a program of this name is in PATH, or in /sbin or /usr/sbin; else which package of Debian has it.
Status need_program(const std::string& name, const std::string& package);

}  // namespace ctr::bench
