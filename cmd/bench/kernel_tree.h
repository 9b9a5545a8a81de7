// A kernel's source tree to build.
#pragma once

#include <string>

#include "runtime/base/error.h"

namespace ctr::bench {

// GIVEN, if it is one; "": the newest unpacked one in /usr/src. ROOT: "" but in tests.
Result<std::string> find_kernel_tree(const std::string& given, const std::string& root = "");

}  // namespace ctr::bench
