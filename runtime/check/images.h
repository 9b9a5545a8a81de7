// What of a container's images has the fast path.
#pragma once

#include <string>
#include <vector>

#include "runtime/check/attempt.h"

namespace ctr::check {

inline constexpr const char* images_area = "fast path";

std::vector<Item> check_images(const Situation& situation, const std::vector<std::string>& files);

}  // namespace ctr::check
