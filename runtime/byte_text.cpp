#include "runtime/byte_text.h"

#include <algorithm>
#include <iterator>

namespace ctr::byte_text {

namespace {

// Table 3-7 of the Unicode standard. What follows the second byte is from 80 to BF.
struct Form {
    unsigned char first_from, first_to;
    unsigned char second_from, second_to;
    size_t length;
};
constexpr Form forms[] = {
    {0x00, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
    {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
    {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};

}  // namespace

bool is_utf8(const std::string& bytes) {
    const auto within = [&](size_t at, unsigned char from, unsigned char to) {
        const auto byte = static_cast<unsigned char>(bytes[at]);
        return from <= byte && byte <= to;
    };
    for (size_t i = 0; i < bytes.size();) {
        const auto* form = std::ranges::find_if(
            forms, [&](const Form& any) { return within(i, any.first_from, any.first_to); });
        if (form == std::end(forms) || form->length > bytes.size() - i) return false;
        if (form->length > 1 && !within(i + 1, form->second_from, form->second_to)) return false;
        for (size_t k = 2; k < form->length; ++k)
            if (!within(i + k, 0x80, 0xBF)) return false;
        i += form->length;
    }
    return true;
}

std::string widened(const std::string& bytes) {
    std::string text;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x80) text += static_cast<char>(0xC0 | byte >> 6);
        text += byte >= 0x80 ? static_cast<char>(0x80 | (byte & 0x3F)) : c;
    }
    return text;
}

std::string narrowed(const std::string& text) {
    std::string bytes;
    for (size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte >= 0x80 && i + 1 < text.size())
            bytes += static_cast<char>((byte & 3) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3F));
        else
            bytes += text[i];
    }
    return bytes;
}

}  // namespace ctr::byte_text
