// What --help prints.
#pragma once

#include <string>

#include "cmd/manual.h"

namespace ctr::cmd {

std::string help_text(const Manual& manual);
std::string overview_text();  // of ctr itself, with its verbs

// --NAME VALUE, as help and man pages show it.
std::string spelling(const Option& option);

// ctr VERB [options] ARGUMENTS
std::string synopsis(const Manual& manual);

}  // namespace ctr::cmd
