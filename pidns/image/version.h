// Which code instruments: another number for every change of the instrumenter, of the calls that it looks
// for, or of the guest code that it puts in. Computed from their sources when they are built.
#pragma once

#include <cstdint>

namespace ctr::pidns::image {

extern const uint64_t instrumenter_version;

}  // namespace ctr::pidns::image
