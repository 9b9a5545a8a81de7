// The command line of `ctr run`, as values. Nothing here prints or looks at anything but its arguments.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cmd/log_options.h"
#include "runtime/base/error.h"
#include "runtime/spec.h"

namespace ctr::cmd {

struct RunOptions {
    Spec spec;
    LogOptions log;
    bool dry_run = false;
    bool detach = false;
    bool help = false;
};

// "K=V" of the caller's environment, for -e NAME.
using Environment = std::vector<std::string>;

// ARGUMENTS: what follows "ctr run". Options end at the first word that is none, or at "--"; the rest is the
// command.
Result<RunOptions> parse_run(const std::vector<std::string>& arguments, const Environment& environment);

}  // namespace ctr::cmd
