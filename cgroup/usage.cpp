#include "cgroup/usage.h"

#include <algorithm>

namespace ctr::cgroup {

namespace {

constexpr std::string_view step = "read what the container uses";

// Where a version keeps its counts. A key: the number stands behind that word.
struct Counts {
    Version version;
    const char* cpu;
    std::string_view cpu_key;
    uint64_t per_microsecond;
    const char* memory;
    std::string_view droppable;  // in memory.stat
    const char* memory_limit;
    const char* devices;
};
constexpr Counts all_counts[] = {
    {Version::v1, "cpuacct.usage", "", 1000, "memory.usage_in_bytes", "total_inactive_file",
     "memory.limit_in_bytes", "blkio.throttle.io_service_bytes"},
    {Version::v2, "cpu.stat", "usage_usec", 1, "memory.current", "inactive_file", "memory.max", "io.stat"},
};

// More is v1's way to say "not limited".
constexpr uint64_t largest_limit = uint64_t{1} << 62;

std::optional<uint64_t> number_in(const Directory& group, const char* file, std::string_view key = {}) {
    const auto text = group.read(file, step);
    if (!text) return {};
    if (!key.empty()) return keyed_number(*text, key);
    unsigned long number = 0;
    if (!parse_number(std::string_view(*text).substr(0, text->find('\n')), number)) return {};
    return number;
}

std::optional<uint64_t> limit_in(const Directory& group, const char* file) {
    const auto limit = number_in(group, file);
    return limit && *limit < largest_limit ? limit : std::nullopt;
}

void read_memory(const Directory& group, const Counts& counts, Usage& usage) {
    const auto memory = number_in(group, counts.memory);
    if (!memory) return;
    const uint64_t droppable = number_in(group, "memory.stat", counts.droppable).value_or(0);
    usage.memory = *memory - std::min(*memory, droppable);
    usage.memory_limit = limit_in(group, counts.memory_limit);
}

void read_io(const ExistingGroup& group, const Counts& counts, Usage& usage) {
    const auto text = group.directory.read(counts.devices, step);
    if (!text) return;
    usage.io.emplace();
    for (const DeviceNumber device : devices_in(*text))
        if (const auto read = backend_of(group.version).read_counters(group.directory, device))
            if (*read != IoCounters{}) usage.io->push_back({device, *read, {}});
}

}  // namespace

std::optional<uint64_t> keyed_number(std::string_view text, std::string_view key) {
    std::optional<uint64_t> found;
    for_each_line(text, [&](std::string_view line) {
        unsigned long number = 0;
        if (take_until(line, ' ') == key && parse_number(line, number)) found = number;
    });
    return found;
}

std::vector<DeviceNumber> devices_in(std::string_view text) {
    std::vector<DeviceNumber> devices;
    for_each_line(text, [&](std::string_view line) {
        const auto device = parse_device_number(take_until(line, ' '));
        if (device && std::ranges::find(devices, *device) == devices.end()) devices.push_back(*device);
    });
    return devices;
}

Usage read_usage(const std::vector<std::string>& directories) {
    Usage usage;
    for (const ExistingGroup& group : open_groups(directories)) {
        const Counts& counts = *std::ranges::find(all_counts, group.version, &Counts::version);
        if (const auto cpu = number_in(group.directory, counts.cpu, counts.cpu_key))
            usage.cpu = *cpu / counts.per_microsecond;
        if (const auto pids = number_in(group.directory, "pids.current")) {
            usage.pids = pids;
            usage.pids_limit = limit_in(group.directory, "pids.max");
        }
        read_memory(group.directory, counts, usage);
        read_io(group, counts, usage);
    }
    return usage;
}

}  // namespace ctr::cgroup
