// The guest code as data: what an instrumented image carries (header.h says how it begins).
#pragma once

#include <cstddef>
#include <span>

namespace ctr::pidns {

std::span<const std::byte> guest_code();

}  // namespace ctr::pidns
