#include "cmd/stats_format.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <initializer_list>

#include <nlohmann/json.hpp>

#include "cmd/table.h"

namespace ctr::cmd {

namespace {

using Json = nlohmann::ordered_json;

std::string with_digits(double value, int digits) {
    std::array<char, 64> text{};
    const int length = std::snprintf(text.data(), text.size(), "%.*f", digits, value);
    return std::string(text.data(), static_cast<size_t>(std::max(length, 0)));
}

std::string duration(uint64_t microseconds) {
    const double seconds = static_cast<double>(microseconds) / 1e6;
    if (seconds < 60) return with_digits(seconds, 2) + "s";
    const auto whole = static_cast<uint64_t>(seconds);
    const std::string minutes = std::to_string(whole / 60 % 60) + "m" + std::to_string(whole % 60) + "s";
    return whole < 3600 ? minutes : std::to_string(whole / 3600) + "h" + minutes;
}

// A star: no cgroup has counted it.
std::string counted(const std::string& text, Counted by) {
    if (by == Counted::nowhere) return "-";
    return by == Counted::by_cgroup ? text : text + "*";
}

std::string operations(const std::optional<uint64_t>& number) {
    return number ? std::to_string(*number) : "-";
}

std::vector<std::string> row_of(const Reading& reading) {
    const Stats& stats = reading.stats;
    const bool limited = stats.memory_limit.has_value();
    const double share =
        limited ? 100 * static_cast<double>(stats.memory) / static_cast<double>(*stats.memory_limit) : 0;
    return {stats.name,
            counted(with_digits(reading.cpu_percent, 1) + "%", stats.cpu_counted),
            counted(duration(stats.cpu), stats.cpu_counted),
            counted(rounded_bytes(stats.memory), stats.memory_counted),
            limited ? rounded_bytes(*stats.memory_limit) : "-",
            limited ? with_digits(share, 1) + "%" : "-",
            counted(std::to_string(stats.pids), stats.pids_counted),
            counted(rounded_bytes(stats.io.read_bytes), stats.io_counted),
            counted(rounded_bytes(stats.io.write_bytes), stats.io_counted),
            operations(stats.io.read_operations),
            operations(stats.io.write_operations)};
}

bool any_counted(const std::vector<Reading>& readings, Counted by,
                 std::initializer_list<Counted Stats::*> kinds) {
    return std::ranges::any_of(readings, [&](const Reading& reading) {
        return std::ranges::any_of(kinds, [&](auto kind) { return reading.stats.*kind == by; });
    });
}

// What the stars mean, if there are any.
std::string footnote(const std::vector<Reading>& readings) {
    const bool proportionate = any_counted(readings, Counted::as_proportionate, {&Stats::memory_counted});
    const bool resident = any_counted(readings, Counted::as_resident, {&Stats::memory_counted});
    const bool others = any_counted(readings, Counted::in_processes,
                                    {&Stats::cpu_counted, &Stats::pids_counted, &Stats::io_counted});
    if (!proportionate && !resident && !others) return {};
    std::string text = "* no cgroup counts it: added up from the processes";
    if (proportionate) text += "; memory as PSS, what is shared by parts";
    if (resident) text += "; memory as RSS, what is shared for each";
    return text + '\n';
}

Json or_null(const std::optional<uint64_t>& number) {
    return number ? Json(*number) : Json();
}

Json json_from(const cgroup::DeviceUsage& device) {
    Json object{{"device", cgroup::to_string(device.device)},
                {"readBytes", device.counters.read_bytes},
                {"writeBytes", device.counters.write_bytes},
                {"readOperations", device.counters.read_operations},
                {"writeOperations", device.counters.write_operations}};
    if (device.throttled)
        object["throttled"] = {{"times", device.throttled->times},
                               {"microseconds", device.throttled->microseconds}};
    return object;
}

Json json_from(const Reading& reading) {
    const Stats& stats = reading.stats;
    Json devices = Json::array();
    for (const cgroup::DeviceUsage& device : stats.devices) devices.push_back(json_from(device));
    return {{"name", stats.name},
            {"pid", raw(stats.init)},
            {"cpu",
             {{"percent", reading.cpu_percent},
              {"microseconds", stats.cpu},
              {"counted", word_for(stats.cpu_counted)}}},
            {"memory",
             {{"bytes", stats.memory},
              {"limit", or_null(stats.memory_limit)},
              {"counted", word_for(stats.memory_counted)}}},
            {"pids",
             {{"current", stats.pids},
              {"limit", or_null(stats.pids_limit)},
              {"counted", word_for(stats.pids_counted)}}},
            {"io",
             {{"readBytes", stats.io.read_bytes},
              {"writeBytes", stats.io.write_bytes},
              {"readOperations", or_null(stats.io.read_operations)},
              {"writeOperations", or_null(stats.io.write_operations)},
              {"counted", word_for(stats.io_counted)},
              {"devices", std::move(devices)}}}};
}

}  // namespace

std::string rounded_bytes(uint64_t bytes) {
    constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    auto value = static_cast<double>(bytes);
    size_t unit = 0;
    // Not 1024.0 after rounding.
    while (value >= 1023.95 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    return with_digits(value, unit == 0 ? 0 : 1) + units.at(unit);
}

std::string as_table(const std::vector<Reading>& readings) {
    Rows rows{{"NAME", "CPU %", "CPU TIME", "MEMORY", "LIMIT", "MEM %", "PIDS", "READ", "WRITTEN", "READS",
               "WRITES"}};
    for (const Reading& reading : readings) rows.push_back(row_of(reading));
    return aligned(rows) + footnote(readings);
}

std::string as_json(const std::vector<Reading>& readings, bool pretty) {
    Json array = Json::array();
    for (const Reading& reading : readings) array.push_back(json_from(reading));
    return array.dump(pretty ? 2 : -1) + "\n";
}

}  // namespace ctr::cmd
