// Names that nobody has.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/base/error.h"

namespace ctr {

// Two hexadecimal digits for each of so many random bytes, 32 at most. STEP is for errors.
Result<std::string> random_digits(size_t bytes, std::string_view step);

}  // namespace ctr
