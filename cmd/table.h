// Columns of text, each as wide as need be.
#pragma once

#include <string>
#include <vector>

namespace ctr::cmd {

using Rows = std::vector<std::vector<std::string>>;  // the first one is the headline; all of one length
std::string aligned(const Rows& rows);

}  // namespace ctr::cmd
