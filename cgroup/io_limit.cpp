#include "cgroup/io_limit.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "cgroup/rate.h"

namespace ctr::cgroup {

std::string to_string(DeviceNumber number) {
    return std::to_string(number.major) + ":" + std::to_string(number.minor);
}

std::optional<DeviceNumber> parse_device_number(std::string_view text) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    DeviceNumber number;
    const char* const end = text.data() + text.size();
    const auto [colon, major_error] = std::from_chars(text.data(), end, number.major);
    if (major_error != std::errc{} || colon == end || *colon != ':') return std::nullopt;
    const auto [rest, minor_error] = std::from_chars(colon + 1, end, number.minor);
    if (minor_error != std::errc{} || rest != end) return std::nullopt;
    return number;
}

std::string describe_rates(const IoLimit& limit) {
    const auto direction = [](uint64_t bytes, uint64_t operations) -> std::string {
        if (bytes == 0 && operations == 0) return "not limited";
        std::string text;
        if (bytes != 0) text = format_rate(bytes);
        if (operations != 0)
            text += (text.empty() ? "" : " and ") + std::to_string(operations) + " operations/s";
        return text;
    };
    return "reads: " + direction(limit.read_bytes, limit.read_operations) +
           "; writes: " + direction(limit.write_bytes, limit.write_operations);
}

Result<LimitText> split_limit(std::string_view text) {
    const auto refuse = [&](std::string why) {
        return fail_input("read the limit \"" + std::string(text) + "\"", std::move(why),
                          "PATH:RATE, as in /dev/sda:10mb");
    };
    const size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return refuse("there is no ':' between a path and a rate");
    const LimitText parts{text.substr(0, colon), text.substr(colon + 1)};
    if (parts.path.empty()) return refuse("there is no path before the ':'");
    if (parts.rate.empty()) return refuse("there is no rate after the last ':'");
    return parts;
}

Status add_limit(std::vector<IoLimit>& limits, const IoQuantity& quantity, std::string_view text) {
    const Result<LimitText> parts = split_limit(text);
    if (!parts) return std::unexpected(parts.error());
    const Result<uint64_t> rate =
        quantity.operations ? parse_operations(parts->rate) : parse_rate(parts->rate);
    if (!rate)
        return std::unexpected(Error(rate.error()).within("read the limit \"" + std::string(text) + "\""));

    auto limit =
        std::find_if(limits.begin(), limits.end(), [&](const IoLimit& l) { return l.path == parts->path; });
    if (limit == limits.end()) limit = limits.insert(limits.end(), IoLimit{.path = std::string(parts->path)});
    if ((*limit).*quantity.member != 0) {
        return fail_input(
            "read the limit \"" + std::string(text) + "\"",
            "the " + std::string(quantity.words) + " of " + limit->path + " have a limit already",
            "one limit for each path and quantity");
    }
    (*limit).*quantity.member = *rate;
    return {};
}

}  // namespace ctr::cgroup
