#include "cgroup/io_limit.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "cgroup/control_file.h"
#include "cgroup/rate.h"

namespace ctr::cgroup {

bool lifts(std::string_view text) {
    return text == "0" || text == "-1" || text == "max";
}

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

namespace {

struct StrategyName {
    std::string_view word;
    Strategy strategy;
};
constexpr StrategyName strategy_names[] = {{"leaky", Strategy::leaky}, {"token", Strategy::token}};

std::string describe_pace(const Pace& pace, bool operations) {
    if (pace.strategy == Strategy::any) return {};
    if (pace.strategy == Strategy::leaky) return " (leaky bucket)";
    if (pace.bucket == 0) return " (token bucket)";
    return " (token bucket of " +
           (operations ? std::to_string(pace.bucket) + " operations" : format_bytes(pace.bucket)) + ")";
}

std::string step_of(std::string_view text) {
    return "read the limit \"" + std::string(text) + "\"";
}

std::unexpected<Error> within(const Error& error, std::string_view text) {
    return std::unexpected(Error(error).within(step_of(text)));
}

Result<Pace> parse_pace(const IoQuantity& quantity, const LimitText& parts, std::string_view text) {
    if (parts.strategy.empty()) return Pace{};
    if (quantity.pace == nullptr)
        return fail_input(step_of(text),
                          "\"" + std::string(parts.strategy) +
                              "\" is a strategy, and reads are limited by the kernel, which has its own",
                          "leave it out");
    Pace pace{strategy_of(parts.strategy), 0};
    if (parts.bucket.empty()) return pace;
    if (pace.strategy == Strategy::leaky)
        return fail_input(step_of(text),
                          "a leaky bucket saves nothing up and so has no size, which \"" +
                              std::string(parts.bucket) + "\" would be",
                          "leave it out, or take token");
    const auto size = quantity.operations
                          ? parse_operations(parts.bucket)
                          : parse_bytes("bucket", parts.bucket, "10mb, 1.5GiB, or plain bytes");
    if (!size) return within(size.error(), text);
    pace.bucket = *size;
    return pace;
}

// One quantity of a limit that is being read. TEXT: all of it, for errors.
Status take(IoLimit& limit, const IoQuantity& quantity, const LimitText& parts, std::string_view text) {
    const bool lifted = lifts(parts.rate);
    if (lifted && !parts.strategy.empty())
        return fail_input(step_of(text), "a strategy takes a rate, and \"" + std::string(parts.rate) +
                                             "\" is that nothing is limited");
    const auto rate = lifted                ? unlimited
                      : quantity.operations ? parse_operations(parts.rate)
                                            : parse_rate(parts.rate);
    if (!rate) return within(rate.error(), text);
    const auto pace = parse_pace(quantity, parts, text);
    if (!pace) return std::unexpected(pace.error());
    if (limit.*quantity.member != 0)
        return fail_input(
            step_of(text),
            "the " + std::string(quantity.words) + " of " + limit.path + " have a limit already",
            "one limit for each path and quantity");
    limit.*quantity.member = *rate;
    if (quantity.pace != nullptr) limit.*quantity.pace = *pace;
    return {};
}

// The limit for a path, and a new one if there is none yet.
IoLimit limit_of(const std::vector<IoLimit>& limits, std::string_view path) {
    const auto found = std::ranges::find(limits, path, &IoLimit::path);
    return found != limits.end() ? *found : IoLimit{.path = std::string(path)};
}

void put(std::vector<IoLimit>& limits, IoLimit limit) {
    const auto found = std::ranges::find(limits, limit.path, &IoLimit::path);
    if (found != limits.end())
        *found = std::move(limit);
    else
        limits.push_back(std::move(limit));
}

const IoQuantity* quantity_of(std::string_view key) {
    const auto* const found = std::ranges::find(io_quantities, key, &IoQuantity::key);
    return found == std::end(io_quantities) ? nullptr : found;
}

// Takes the last part off, with its colon.
std::string_view take_last(std::string_view& text) {
    const size_t colon = text.rfind(':');
    const std::string_view last = colon == std::string_view::npos ? text : text.substr(colon + 1);
    text.remove_suffix(colon == std::string_view::npos ? text.size() : last.size() + 1);
    return last;
}

// Takes ":STRATEGY" or ":STRATEGY:BUCKET" off the end, if there is one and more stands before it.
LimitText take_pace(std::string_view& text) {
    std::string_view rest = text;
    LimitText parts;
    parts.strategy = take_last(rest);
    if (strategy_of(parts.strategy) == Strategy::any) {
        parts.bucket = parts.strategy;
        if (parts.bucket.empty()) return {};
        parts.strategy = take_last(rest);
    }
    if (strategy_of(parts.strategy) == Strategy::any || rest.empty()) return {};
    text = rest;
    return parts;
}

// Where the keys of "PATH: rbps=1mb" begin, behind the colon: the last colon that a key follows.
size_t find_keys(std::string_view text) {
    for (size_t colon = text.rfind(':'); colon != std::string_view::npos && colon != 0;
         colon = text.rfind(':', colon - 1)) {
        std::string_view rest = text.substr(colon + 1);
        rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
        const size_t equals = rest.find('=');
        if (equals != std::string_view::npos && quantity_of(rest.substr(0, equals)) != nullptr)
            return colon + 1;
    }
    return std::string_view::npos;
}

struct TimeUnit {
    std::string_view name;
    uint64_t microseconds;
};
constexpr TimeUnit time_units[] = {{"us", 1}, {"ms", 1000}, {"s", 1'000'000}};
constexpr uint64_t longest_latency = 60'000'000;  // a minute

constexpr const char* io_max_example = "'PATH: rbps=10mb wbps=5mb riops=100 wiops=100', some of these";

Status take_key(IoLimit& limit, std::string_view word, std::string_view text) {
    const auto refuse = [&](const std::string& why) {
        return fail_input(step_of(text), "\"" + std::string(word) + "\" " + why, io_max_example);
    };
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos) return refuse("has no '='");
    const IoQuantity* quantity = quantity_of(word.substr(0, equals));
    if (quantity == nullptr) return refuse("is no limit that there is");
    std::string_view value = word.substr(equals + 1);
    LimitText parts = take_pace(value);
    parts.rate = value;
    return take(limit, *quantity, parts, text);
}

}  // namespace

std::string_view word_for(Strategy strategy) {
    const auto* const found = std::ranges::find(strategy_names, strategy, &StrategyName::strategy);
    return found == std::end(strategy_names) ? std::string_view() : found->word;
}

Strategy strategy_of(std::string_view word) {
    for (const StrategyName& name : strategy_names)
        if (name.word == word) return name.strategy;
    return Strategy::any;
}

std::string describe_rates(const IoLimit& limit) {
    const auto direction = [&](const IoQuantity& bytes, const IoQuantity& operations) -> std::string {
        std::string text;
        for (const IoQuantity* quantity : {&bytes, &operations}) {
            const uint64_t value = limit.*quantity->member;
            if (value == 0) continue;
            text += text.empty() ? "" : " and ";
            text += quantity->operations ? std::to_string(value) + " operations/s" : format_rate(value);
            if (quantity->pace != nullptr) text += describe_pace(limit.*quantity->pace, quantity->operations);
        }
        return text.empty() ? "not limited" : text;
    };
    std::string text = "reads: " + direction(io_read_bytes, io_read_operations) +
                       "; writes: " + direction(io_write_bytes, io_write_operations);
    if (limit.latency != 0) text += "; latency: " + std::to_string(limit.latency) + "us";
    return text;
}

bool merge(const IoLimit& from, IoLimit& into) {
    bool conflict = false;
    for (const IoQuantity& quantity : io_quantities) {
        const uint64_t theirs = from.*quantity.member;
        uint64_t& ours = into.*quantity.member;
        if (theirs == 0) continue;
        conflict = conflict || (ours != 0 && ours != theirs);
        if (ours != 0 && ours <= theirs) continue;
        ours = theirs;
        if (quantity.pace != nullptr) into.*quantity.pace = from.*quantity.pace;
    }
    const bool both = from.latency != 0 && into.latency != 0;
    conflict = conflict || (both && from.latency != into.latency);
    into.latency = both ? std::min(from.latency, into.latency) : std::max(from.latency, into.latency);
    return conflict;
}

Result<LimitText> split_limit(std::string_view text) {
    const auto refuse = [&](std::string why) {
        return fail_input(step_of(text), std::move(why),
                          "PATH:RATE, as in /dev/sda:10mb, or PATH:RATE:STRATEGY[:BUCKET], as in "
                          "/dev/sda:10mb:token:50mb");
    };
    // A path and a rate are left over of the long form, or it is the short one.
    std::string_view rest = text;
    LimitText parts = take_pace(rest);
    if (rest.find(':') == std::string_view::npos) {
        parts = {};
        rest = text;
    }
    const size_t colon = rest.rfind(':');
    if (colon == std::string_view::npos) return refuse("there is no ':' between a path and a rate");
    parts.path = rest.substr(0, colon);
    parts.rate = rest.substr(colon + 1);
    if (parts.path.empty()) return refuse("there is no path before the ':'");
    if (parts.rate.empty()) return refuse("there is no rate after the last ':'");
    return parts;
}

Status add_limit(std::vector<IoLimit>& limits, const IoQuantity& quantity, std::string_view text) {
    const auto parts = split_limit(text);
    if (!parts) return std::unexpected(parts.error());
    IoLimit limit = limit_of(limits, parts->path);
    if (Status taken = take(limit, quantity, *parts, text); !taken) return taken;
    put(limits, std::move(limit));
    return {};
}

Status add_latency(std::vector<IoLimit>& limits, std::string_view text) {
    const size_t colon = text.rfind(':');
    const auto refuse = [&](const std::string& why) {
        return fail_input(step_of(text), why, "PATH:TIME, as in /dev/sda:10ms; units: us, ms, s");
    };
    if (colon == std::string_view::npos || colon == 0)
        return refuse("there is no ':' between a path and a time");
    IoLimit limit = limit_of(limits, text.substr(0, colon));
    if (limit.latency != 0) return refuse("the latency of " + limit.path + " has a limit already");
    std::string_view time = text.substr(colon + 1);
    if (lifts(time)) {
        limit.latency = unlimited;
        put(limits, std::move(limit));
        return {};
    }
    for (const TimeUnit& unit : time_units) {
        if (!time.ends_with(unit.name)) continue;
        unsigned long number = 0;
        if (!parse_number(time.substr(0, time.size() - unit.name.size()), number) || number == 0 ||
            number > longest_latency / unit.microseconds)
            break;
        limit.latency = number * unit.microseconds;
        put(limits, std::move(limit));
        return {};
    }
    return refuse("\"" + std::string(time) + "\" is no time");
}

Status add_io_max(std::vector<IoLimit>& limits, std::string_view text) {
    const size_t keys = find_keys(text);
    if (keys == std::string_view::npos)
        return fail_input(step_of(text), "no ':' with limits behind it follows a path", io_max_example);
    IoLimit limit = limit_of(limits, text.substr(0, keys - 1));
    for (std::string_view rest = text.substr(keys); !rest.empty();)
        if (const std::string_view word = take_until(rest, ' '); !word.empty())
            if (Status taken = take_key(limit, word, text); !taken) return taken;
    if (!limits_anything(limit)) return fail_input(step_of(text), "nothing is limited by it", io_max_example);
    put(limits, std::move(limit));
    return {};
}

}  // namespace ctr::cgroup
