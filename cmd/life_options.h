// The command lines of the verbs that act on containers which were written down (--name, --detach), as
// values. Nothing here prints or looks at anything but its arguments.
#pragma once

#include <string>
#include <vector>

#include "cmd/given.h"
#include "cmd/log_options.h"
#include "cmd/option_table.h"
#include "runtime/base/error.h"

namespace ctr::cmd {

// What is said about such a verb in its help, and what it takes.
struct LifeVerb {
    const char* name;
    const char* arguments;  // in the help
    const char* help;
    const char* status;  // its exit status, in words
    std::vector<Option> options;
    size_t least = 0;  // names
    size_t most = SIZE_MAX;
    bool takes_command = false;  // after one name; options end there
};

const std::vector<LifeVerb>& life_verbs();

// The verbs are known to be there: a wrong name is a bug.
const LifeVerb& life_verb(const std::string& name);

struct LifeCall {
    Given given;
    std::vector<std::string> names;
    std::vector<std::string> command;
    LogOptions log;
    std::string state_directory;  // empty: the usual one of this user
    bool help = false;
};

// ARGUMENTS: what follows the verb.
Result<LifeCall> parse_life(const LifeVerb& verb, const std::vector<std::string>& arguments);

}  // namespace ctr::cmd
