// The command line of `ctr ps`, as values. Nothing here prints or looks at anything but its arguments.
#pragma once

#include <string>
#include <vector>

#include "cmd/log_options.h"
#include "runtime/base/error.h"
#include "runtime/listing.h"

namespace ctr::cmd {

struct PsOptions {
    ListingRequest request;
    LogOptions log;
    std::vector<std::string> names;  // of containers that are asked for too
    std::string state_directory;     // empty: the usual one of this user
    bool tree = false;
    bool json = false;
    bool help = false;
};

// ARGUMENTS: what follows "ctr ps".
Result<PsOptions> parse_ps(const std::vector<std::string>& arguments);

}  // namespace ctr::cmd
