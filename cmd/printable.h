// Text that somebody else chose, for a terminal.
#pragma once

#include <string>

namespace ctr::cmd {

// No byte of it does more than show itself; others are escaped.
std::string printable(const std::string& text);

}  // namespace ctr::cmd
