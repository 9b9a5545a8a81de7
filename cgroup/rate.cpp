#include "cgroup/rate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace ctr::cgroup {
namespace {

constexpr std::string_view rate_examples = "10mb, 1.5GiB, 400MB/s, or plain bytes such as 5242880";
constexpr size_t max_fraction_digits = 6;

struct Unit {
    std::string_view letter;  // in lower case; the empty one is bytes
    unsigned shift;
};
constexpr std::array<Unit, 5> units{{{"", 0}, {"k", 10}, {"m", 20}, {"g", 30}, {"t", 40}}};

// Not the C library's: the meaning of a limit must not depend on the locale of an embedding program.
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

std::string quoted(std::string_view text) {
    std::string result = "\"";
    result += text;
    return result + '"';
}

std::unexpected<Error> bad(std::string_view what, std::string_view text, std::string why,
                           std::string_view examples) {
    return fail_input("read the " + std::string(what) + " " + quoted(text), std::move(why),
                      std::string(examples));
}

std::string_view take_digits(std::string_view& text) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
    const auto length = static_cast<size_t>(end - text.begin());
    const std::string_view digits = text.substr(0, length);
    text.remove_prefix(length);
    return digits;
}

bool to_number(std::string_view digits, uint64_t& number) {
    return std::from_chars(digits.data(), digits.data() + digits.size(), number).ec == std::errc{};
}

const Unit* find_unit(std::string_view text) {
    std::string name = lower(text);
    if (name == "b") name.clear();
    for (std::string_view suffix : {"ib", "b"}) {
        if (name.size() == 1 + suffix.size() && name.ends_with(suffix)) name.resize(1);
    }
    const auto* unit =
        std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.letter == name; });
    return unit == units.end() ? nullptr : unit;
}

// What is wrong with a text that doesn't start with a digit, in words.
std::string why_no_number(std::string_view text) {
    if (text.empty()) return "it is empty";
    if (text.front() == '-') return "it is negative";
    return quoted(text.substr(0, 1)) + " is not a digit";
}

std::string why_no_unit(std::string_view rest) {
    const std::string name = lower(rest);
    if (name.ends_with("bit") || name.ends_with("bps")) {
        return quoted(rest) + " may mean bits; rates are in bytes";
    }
    return quoted(rest) + " is not a unit";
}

}  // namespace

Result<uint64_t> parse_bytes(std::string_view what, std::string_view text, std::string_view examples) {
    const auto refuse = [&](std::string why) { return bad(what, text, std::move(why), examples); };
    std::string_view rest = text;
    const std::string_view whole_digits = take_digits(rest);
    if (whole_digits.empty()) return refuse(why_no_number(text));

    std::string_view fraction_digits;
    const bool has_point = rest.starts_with('.');
    if (has_point) {
        rest.remove_prefix(1);
        fraction_digits = take_digits(rest);
        if (fraction_digits.empty()) return refuse("no digit follows the point");
        if (fraction_digits.size() > max_fraction_digits)
            return refuse("more than six digits follow the point");
    }

    const Unit* unit = find_unit(rest);
    if (!unit) return refuse(why_no_unit(rest));
    if (has_point && unit->shift == 0)
        return refuse("a fraction of a byte; a fraction needs a unit such as mb");

    constexpr uint64_t most = std::numeric_limits<uint64_t>::max();
    uint64_t whole = 0;
    if (!to_number(whole_digits, whole) || whole > most >> unit->shift)
        return refuse("it is more than 2^64-1 bytes");

    uint64_t fraction = 0;  // below 10^6, so that the product below stays under 2^60
    uint64_t scale = 1;
    for (char digit : fraction_digits) {
        fraction = fraction * 10 + static_cast<uint64_t>(digit - '0');
        scale *= 10;
    }
    // The sum can't overflow: whole << shift has its low bits clear and the fraction is less than one unit.
    const uint64_t bytes = (whole << unit->shift) + (fraction << unit->shift) / scale;
    if (bytes == 0) return refuse("it is zero; leave the limit out for \"not limited\"");
    return bytes;
}

Result<uint64_t> parse_rate(std::string_view text) {
    std::string_view bytes = text;
    if (bytes.ends_with("/s")) bytes.remove_suffix(2);
    return parse_bytes("rate", bytes, rate_examples);
}

Result<uint64_t> parse_operations(std::string_view text) {
    const auto refuse = [&](std::string why) {
        return bad("number of operations", text, std::move(why), "a whole number such as 100");
    };
    std::string_view rest = text;
    const std::string_view digits = take_digits(rest);
    if (digits.empty()) return refuse(why_no_number(text));
    if (rest == "/s") rest.remove_prefix(2);
    if (!rest.empty()) return refuse(quoted(rest) + " follows the number; operations have no unit");

    uint64_t number = 0;
    if (!to_number(digits, number) || number > std::numeric_limits<uint32_t>::max()) {
        return refuse("it is more than 4294967295, the kernel's largest");
    }
    if (number == 0) return refuse("it is zero; leave the limit out for \"not limited\"");
    return number;
}

std::string format_bytes(uint64_t bytes) {
    static constexpr std::array<std::string_view, units.size()> names{"B", "KiB", "MiB", "GiB", "TiB"};
    size_t i = units.size() - 1;
    while (i > 0 && (bytes >> units[i].shift << units[i].shift) != bytes) --i;
    if (bytes == 0) i = 0;
    return std::to_string(bytes >> units[i].shift) + std::string(names[i]);
}

std::string format_rate(uint64_t bytes_per_second) {
    return format_bytes(bytes_per_second) + "/s";
}

}  // namespace ctr::cgroup
