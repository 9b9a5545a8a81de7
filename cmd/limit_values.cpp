#include "cmd/limit_values.h"

#include <algorithm>

#include "cmd/values.h"

namespace ctr::cmd {

namespace {

struct DeviceOption {
    const char* name;
    const cgroup::IoQuantity& quantity;
};
constexpr DeviceOption device_options[] = {{"device-read-bps", cgroup::io_read_bytes},
                                           {"device-write-bps", cgroup::io_write_bytes},
                                           {"device-read-iops", cgroup::io_read_operations},
                                           {"device-write-iops", cgroup::io_write_operations}};
constexpr const char* memory = "memory";
constexpr const char* cpus = "cpus";
constexpr const char* pids = "pids-limit";

Status take_device_limits(const Given& given, std::vector<cgroup::IoLimit>& limits) {
    for (const DeviceOption& option : device_options)
        for (const std::string& text : given.of(option.name))
            if (auto added = cgroup::add_limit(limits, option.quantity, text); !added)
                return std::unexpected(std::move(added.error()).within(std::string("read --") + option.name));
    return {};
}

}  // namespace

std::vector<Option> limit_options() {
    std::vector<std::string> names{memory, cpus, pids};
    for (const DeviceOption& option : device_options) names.emplace_back(option.name);
    std::vector<Option> options;
    for (const Option& option : run_options())
        if (std::ranges::count(names, option.name) != 0) options.push_back(option);
    return options;
}

Status take_limits(const Given& given, cgroup::Limits& limits) {
    const auto number = [](const std::string& text) -> Result<uint64_t> {
        return parse_number(pids, text, 1, 1U << 22);
    };
    Status statuses[] = {
        given.take(memory, limits.memory, cgroup::parse_memory),
        given.take(cpus, limits.cpu, cgroup::parse_cpus),
        given.take(pids, limits.pids, number),
        take_device_limits(given, limits.io),
    };
    for (Status& status : statuses)
        if (!status) return std::move(status);
    return {};
}

}  // namespace ctr::cmd
