// Reading a text of the kernel's from its front, and writing one into room that may be too small.
// Freestanding: only such members of string_view are used as neither throw nor call the C library.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ctr::pidns {

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// What is left of a text. Everything that is taken is gone; what isn't there isn't taken.
class Rest {
  public:
    constexpr explicit Rest(std::string_view text) : text_(text) {}

    constexpr bool empty() const { return text_.empty(); }
    constexpr std::string_view text() const { return text_; }

    constexpr std::string_view take(size_t count) {
        if (count > text_.size()) count = text_.size();
        const std::string_view taken(text_.data(), count);
        text_.remove_prefix(count);
        return taken;
    }

    // Up to that character, or all.
    constexpr std::string_view take_until(char end) {
        size_t count = 0;
        while (count < text_.size() && text_[count] != end) ++count;
        return take(count);
    }

    constexpr std::string_view take_blanks() {
        size_t count = 0;
        while (count < text_.size() && text_[count] == ' ') ++count;
        return take(count);
    }

    constexpr bool skip(std::string_view expected) {
        if (text_.size() < expected.size()) return false;
        for (size_t i = 0; i < expected.size(); ++i)
            if (text_[i] != expected[i]) return false;
        text_.remove_prefix(expected.size());
        return true;
    }

    // A line without its end, which must be there.
    constexpr std::optional<std::string_view> take_line() {
        Rest ahead = *this;
        const std::string_view line = ahead.take_until('\n');
        if (!ahead.skip({"\n", 1})) return std::nullopt;
        *this = ahead;
        return line;
    }

    // A number as printf's %d writes it, so without a plus sign or leading zeros.
    constexpr std::optional<int> take_number() {
        Rest ahead = *this;
        const bool negative = ahead.skip({"-", 1});
        size_t digits = 0;
        int64_t value = 0;
        while (!ahead.empty() && is_digit(ahead.text_[0])) {
            value = value * 10 + (ahead.text_[0] - '0');
            if (value > int64_t{INT_MAX} + negative) return std::nullopt;
            ahead.text_.remove_prefix(1);
            ++digits;
        }
        const bool leading_zero = value == 0 ? negative || digits > 1 : text_[negative ? 1 : 0] == '0';
        if (digits == 0 || leading_zero) return std::nullopt;
        *this = ahead;
        return static_cast<int>(negative ? -value : value);
    }

  private:
    std::string_view text_;
};

// Text in a table, without an address in it: nobody would relocate that in the code inside workloads.
template <size_t room>
struct Literal {
    char text[room] = {};
    uint8_t size = 0;

    // What is too long doesn't compile.
    // NOLINTNEXTLINE(google-explicit-constructor): a string literal is what it stands for
    consteval Literal(const char* from) {
        while (*from != '\0') text[size++] = *from++;
    }
    constexpr std::string_view view() const { return {text, size}; }
};

// The number that a whole text is.
constexpr std::optional<int> number_of(std::string_view text) {
    Rest rest(text);
    const auto number = rest.take_number();
    return rest.empty() ? number : std::nullopt;
}

constexpr bool same(std::string_view a, std::string_view b) {
    return a.size() == b.size() && Rest(a).skip(b);
}

class Output {
  public:
    explicit Output(std::span<char> to) : to_(to) {}

    void put(char c) {
        if (size_ < to_.size())
            to_[size_++] = c;
        else
            fits_ = false;
    }

    void put(std::string_view text) {
        const size_t left = to_.size() - size_;
        const size_t count = text.size() < left ? text.size() : left;
        for (size_t i = 0; i < count; ++i) to_[size_ + i] = text[i];
        size_ += count;
        fits_ = fits_ && count == text.size();
    }

    // As printf's %*d does.
    void put_number(int number, size_t width = 1) {
        char digits[12];
        size_t count = 0;
        int64_t left = number < 0 ? -int64_t{number} : number;
        do digits[count++] = static_cast<char>('0' + left % 10);
        while ((left /= 10) != 0);
        if (number < 0) digits[count++] = '-';
        for (; width > count; --width) put(' ');
        while (count > 0) put(digits[--count]);
    }

    bool fits() const { return fits_; }
    size_t size() const { return size_; }

  private:
    std::span<char> to_;
    size_t size_ = 0;
    bool fits_ = true;
};

}  // namespace ctr::pidns
