#include "runtime/base/random.h"

#include <sys/random.h>

#include <array>
#include <span>

namespace ctr {

Result<std::string> random_digits(size_t bytes, std::string_view step) {
    std::array<unsigned char, 32> random{};
    // Never short and never interrupted for so few bytes (getrandom(2)).
    if (getrandom(random.data(), bytes, 0) != static_cast<ssize_t>(bytes))
        return fail_call(std::string(step), "getrandom");
    std::string text;
    for (const unsigned char byte : std::span(random).first(bytes)) {
        constexpr std::string_view digits = "0123456789abcdef";
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

}  // namespace ctr
