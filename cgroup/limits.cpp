#include "cgroup/limits.h"

#include <algorithm>
#include <charconv>

#include "cgroup/rate.h"

namespace ctr::cgroup {
namespace {

// "1.5" for 150000 microseconds in each 100000.
std::string format_cpus(uint64_t quota) {
    std::string fraction = std::to_string(cpu_period + quota % cpu_period).substr(1);
    while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
    return std::to_string(quota / cpu_period) + (fraction.empty() ? "" : "." + fraction);
}

std::string format(const Quantity& quantity, uint64_t value) {
    if (quantity.controller == memory_controller) return format_bytes(value) + " of memory";
    if (quantity.controller == cpu_controller) return format_cpus(value) + " processors";
    if (quantity.controller == io_controller) return "a weight of " + std::to_string(value) + " for devices";
    return std::to_string(value) + " processes and threads";
}

void change(uint64_t changed, uint64_t& into) {
    if (changed != 0) into = changed == unlimited ? 0 : changed;
}

void change(const IoLimit& changed, IoLimit& into) {
    for (const IoQuantity& quantity : io_quantities) {
        change(changed.*quantity.member, into.*quantity.member);
        if (quantity.pace == nullptr) continue;
        if (changed.*quantity.pace != Pace{}) into.*quantity.pace = changed.*quantity.pace;
        if (into.*quantity.member == 0) into.*quantity.pace = {};
    }
    change(changed.latency, into.latency);
}

bool all_digits(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

void change(const Limits& changed, Limits& into) {
    for (const Quantity& quantity : quantities) change(changed.*quantity.member, into.*quantity.member);
    for (const IoLimit& limit : changed.io) {
        const auto same = std::ranges::find(into.io, limit.path, &IoLimit::path);
        change(limit, same != into.io.end() ? *same : into.io.emplace_back(IoLimit{.path = limit.path}));
    }
    std::erase_if(into.io, [](const IoLimit& limit) { return !limits_anything(limit); });
}

std::vector<Controller> controllers_of(const Limits& limits) {
    std::vector<Controller> needed;
    if (!limits.io.empty()) needed.push_back(io_controller);
    for (const Quantity& quantity : quantities)
        if (limits.*quantity.member != 0 && std::ranges::find(needed, quantity.controller) == needed.end())
            needed.push_back(quantity.controller);
    return needed;
}

std::string describe(const Limits& limits) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
    for (const Quantity& quantity : quantities)
        if (const uint64_t value = limits.*quantity.member; value != 0) add(format(quantity, value));
    for (const IoLimit& limit : limits.io) add(limit.path + ": " + describe_rates(limit));
    return text;
}

Status validate(const Limits& limits) {
    for (const Quantity& quantity : quantities) {
        const uint64_t value = limits.*quantity.member;
        if (value == 0 || (value >= quantity.least && value <= quantity.most)) continue;
        return fail_input(
            "limit the " + std::string(quantity.words),
            format(quantity, value) + (value < quantity.least ? " is less" : " is more") + " than can be set",
            (value < quantity.least ? "at least " : "at most ") +
                format(quantity, value < quantity.least ? quantity.least : quantity.most));
    }
    return {};
}

Result<uint64_t> parse_cpus(std::string_view text) {
    const auto refuse = [&](const char* why) {
        return fail_input("read the number of processors \"" + std::string(text) + "\"", why,
                          "a number such as 1.5 or 0.25");
    };
    constexpr size_t fraction_digits = 5;
    const size_t point = text.find('.');
    const std::string_view whole = text.substr(0, point);
    const std::string_view fraction = point == std::string_view::npos ? "" : text.substr(point + 1);
    if (whole.empty() || !all_digits(whole) || !all_digits(fraction)) return refuse("it is no number");
    if (point != std::string_view::npos && fraction.empty()) return refuse("no digit follows the point");
    if (fraction.size() > fraction_digits) return refuse("more than five digits follow the point");
    // The period has five zeros: the fraction's digits are the quota's last five.
    std::string digits = std::string(whole) + std::string(fraction);
    digits.append(fraction_digits - fraction.size(), '0');
    Limits limits;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), limits.cpu).ec != std::errc{})
        return refuse("it is too large");
    if (limits.cpu == 0) return refuse("it is zero; leave the limit out for \"not limited\"");
    if (const Status valid = validate(limits); !valid) return std::unexpected(valid.error());
    return limits.cpu;
}

Result<uint64_t> parse_memory(std::string_view text) {
    const auto bytes = parse_bytes("amount of memory", text, "512m, 1.5GiB, or plain bytes");
    if (!bytes) return std::unexpected(bytes.error());
    Limits limits;
    limits.memory = *bytes;
    if (const Status valid = validate(limits); !valid) return std::unexpected(valid.error());
    return *bytes;
}

}  // namespace ctr::cgroup
