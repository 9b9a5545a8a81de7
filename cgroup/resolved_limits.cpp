#include "cgroup/resolved_limits.h"

#include <limits>
#include <utility>

namespace ctr::cgroup {
namespace {

// The parsers give no such limits, but a program that fills in IoLimit by itself may.
Status check_limit(const IoLimit& limit) {
    const std::string step = "limit the device of \"" + limit.path + "\"";
    for (const IoQuantity& quantity : io_quantities) {
        const uint64_t value = limit.*quantity.member;
        if (quantity.operations && value > std::numeric_limits<uint32_t>::max()) {
            return fail_input(step, std::to_string(value) + " " + std::string(quantity.words) +
                                        "/s is more than 4294967295, the kernel's largest");
        }
    }
    if (!limits_anything(limit))
        return fail_input(step, "nothing of it is limited", "give at least one rate");
    return {};
}

}  // namespace

Result<ResolvedLimits> resolve(const std::vector<IoLimit>& limits, const Host& host) {
    ResolvedLimits resolved;
    for (const IoLimit& limit : limits) {
        if (Status status = check_limit(limit); !status) return std::unexpected(status.error());
        Result<BlockDevice> device = find_device(limit.path, host);
        if (!device) return std::unexpected(device.error());
        const std::string disk = device->name + " (" + to_string(device->number) + ")";
        resolved.notes.push_back(device->describe() + ": " + describe_rates(limit));
        if (!device->partition.empty()) {
            resolved.warnings.push_back("the limit on partition " + device->partition + " (" +
                                        to_string(device->partition_number) +
                                        ") counts against its whole disk " + disk);
        }
        if (merge(limit, resolved.limits[device->number])) {
            resolved.warnings.push_back("several limits concern " + disk +
                                        ": the lowest holds for all of it");
        }
        const DeviceNumber number = device->number;
        resolved.devices.emplace(number, *std::move(device));
    }
    return resolved;
}

}  // namespace ctr::cgroup
