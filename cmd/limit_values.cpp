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
constexpr const char* weight = "blkio-weight";
constexpr const char* latency = "io-latency";
constexpr const char* io_max = "io-max";

// Of options that may be given several times, each adds something.
template <class Add>
Status take_each(const Given& given, const char* option, std::vector<cgroup::IoLimit>& limits, Add add) {
    for (const std::string& text : given.of(option))
        if (auto added = add(limits, text); !added)
            return std::unexpected(std::move(added.error()).within(std::string("read --") + option));
    return {};
}

Status take_device_limits(const Given& given, std::vector<cgroup::IoLimit>& limits) {
    for (const DeviceOption& option : device_options) {
        const auto add = [&](std::vector<cgroup::IoLimit>& to, const std::string& text) {
            return cgroup::add_limit(to, option.quantity, text);
        };
        if (auto taken = take_each(given, option.name, limits, add); !taken) return taken;
    }
    if (auto taken = take_each(given, latency, limits, cgroup::add_latency); !taken) return taken;
    return take_each(given, io_max, limits, cgroup::add_io_max);
}

// A number, or that there is no limit.
template <class Parse>
auto or_none(Parse parse) {
    return [parse](const std::string& text) -> Result<uint64_t> {
        if (cgroup::lifts(text)) return cgroup::unlimited;
        const auto number = parse(text);
        if (!number) return std::unexpected(number.error());
        return *number;
    };
}

auto number_for(const char* option, uint32_t least, uint32_t most) {
    return or_none([=](const std::string& text) { return parse_number(option, text, least, most); });
}

}  // namespace

std::vector<Option> limit_options() {
    std::vector<std::string> names{memory, cpus, pids, weight, latency, io_max};
    for (const DeviceOption& option : device_options) names.emplace_back(option.name);
    std::vector<Option> options;
    for (const Option& option : run_options())
        if (std::ranges::count(names, option.name) != 0) options.push_back(option);
    return options;
}

Status refuse_lifting(const Given& given) {
    for (const Option& option : limit_options()) {
        if (option.name == std::string_view(io_max)) continue;
        for (const std::string& text : given.of(option.name))
            if (const std::string last = text.substr(text.rfind(':') + 1); cgroup::lifts(last))
                return fail_input("read --" + std::string(option.name), "\"" + last + "\" limits nothing",
                                  "leave it out; ctr update takes it, and lifts a limit");
    }
    return {};
}

Status take_limits(const Given& given, cgroup::Limits& limits) {
    Status statuses[] = {
        given.take(memory, limits.memory, or_none(cgroup::parse_memory)),
        given.take(cpus, limits.cpu, or_none(cgroup::parse_cpus)),
        given.take(pids, limits.pids, number_for(pids, 1, 1U << 22)),
        given.take(weight, limits.io_weight, number_for(weight, 10, 1000)),
        take_device_limits(given, limits.io),
    };
    for (Status& status : statuses)
        if (!status) return std::move(status);
    return {};
}

}  // namespace ctr::cmd
