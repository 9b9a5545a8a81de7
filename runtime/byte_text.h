// Bytes that needn't be UTF-8, as JSON can carry them.
#pragma once

#include <string>

namespace ctr::byte_text {

bool is_utf8(const std::string& bytes);

// One character for each byte, and back.
std::string widened(const std::string& bytes);
std::string narrowed(const std::string& text);

}  // namespace ctr::byte_text
