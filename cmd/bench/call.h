// The command line of `ctr bench`, as values.
#pragma once

#include <string>
#include <vector>

#include "cmd/bench/configuration.h"
#include "cmd/given.h"
#include "cmd/log_options.h"
#include "runtime/base/error.h"

namespace ctr::bench {

// The words of `ctr bench`, sorted.
struct Call {
    std::string verb;  // "run"
    cmd::Given given;
    Words operands;    // behind the options; of run: the command
    std::string line;  // how all this was called, for the report
    cmd::LogOptions log;
    bool help = false;
};
Result<Call> parse_call(const Words& arguments);

// --config, with host in front if it isn't among them, and --reference in front of that.
Result<std::vector<Configuration>> take_configurations(const cmd::Given& given);

}  // namespace ctr::bench
