// The command line of `ctr image`, as values. Nothing here prints or looks at anything but its arguments.
#pragma once

#include <string>
#include <vector>

#include "cmd/log_options.h"
#include "runtime/base/error.h"

namespace ctr::cmd {

struct ImageOptions {
    std::string file;
    LogOptions log;
    bool json = false;
    bool help = false;
};

// ARGUMENTS: what follows "ctr image".
Result<ImageOptions> parse_image(const std::vector<std::string>& arguments);

}  // namespace ctr::cmd
