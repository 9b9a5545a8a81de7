// Instrumented images for tests, with the guest code of tests/image/passthrough.S, which translates nothing.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "pidns/image/instrument.h"

namespace ctr::test {

using ImageBytes = std::vector<std::byte>;

// Empty if it can't be read.
ImageBytes read_image(const std::string& file);
void write_image(const std::string& file, std::span<const std::byte> bytes);  // executable

ImageBytes passthrough_guest();

// The C library and the program interpreter that this program runs with; empty if they can't be found.
std::string c_library();
std::string interpreter();

}  // namespace ctr::test
