// The command line of `ctr check`, as values. Nothing here prints or looks at anything but its arguments.
#pragma once

#include <string>
#include <vector>

#include "cmd/log_options.h"
#include "runtime/base/error.h"
#include "runtime/check/check.h"

namespace ctr::cmd {

struct CheckOptions {
    check::Request request;
    LogOptions log;
    bool json = false;
    bool help = false;
};

// ARGUMENTS: what follows "ctr check".
Result<CheckOptions> parse_check(const std::vector<std::string>& arguments);

}  // namespace ctr::cmd
