#include "cmd/printable.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace ctr::cmd {

namespace {

// The bytes of the UTF-8 character at I that is neither ASCII nor one of the control characters U+0080 to
// U+009F; 0: there is none.
size_t foreign_character(const std::string& text, size_t i) {
    const auto byte = [&](size_t at) { return static_cast<unsigned char>(at < text.size() ? text[at] : 0); };
    const unsigned char first = byte(i);
    const size_t length = first >= 0xF0 && first <= 0xF4   ? 4
                          : first >= 0xE0 && first <= 0xEF ? 3
                          : first >= 0xC2 && first <= 0xDF ? 2
                                                           : 0;
    for (size_t k = 1; k < length; ++k)
        if ((byte(i + k) & 0xC0) != 0x80) return 0;
    // No control characters, and none written longer than need be.
    const unsigned least = first == 0xC2 || first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    return length > 0 && byte(i + 1) < least ? 0 : length;
}

}  // namespace

std::string printable(const std::string& text) {
    std::string shown;
    for (size_t i = 0; i < text.size();) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const size_t length = byte >= 0x20 && byte < 0x7F ? 1 : foreign_character(text, i);
        if (length == 0) {
            std::array<char, 8> escaped{};
            std::snprintf(escaped.data(), escaped.size(), "\\x%02x", byte);
            shown += escaped.data();
        }
        shown += text.substr(i, length);
        i += std::max<size_t>(length, 1);
    }
    return shown;
}

}  // namespace ctr::cmd
