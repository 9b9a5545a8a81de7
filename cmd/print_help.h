// What all verbs do with --help.
#pragma once

namespace ctr::cmd {

// Prints the help of a verb that is known to be there. The exit code.
int print_help(const char* verb);

}  // namespace ctr::cmd
