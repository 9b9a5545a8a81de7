#include "cgroup/change.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "cgroup/device.h"
#include "cgroup/existing.h"
#include "cgroup/rate.h"
#include "cgroup/usage.h"

namespace ctr::cgroup {

namespace {

using Groups = std::vector<ExistingGroup>;

constexpr std::string_view io_files[] = {"blkio.throttle.write_bps_device", "io.max"};

struct QuantityChange {
    const ExistingGroup* group;
    std::vector<Setting> settings;
    const Quantity* quantity;
    uint64_t value;
};
struct DeviceChange {
    const ExistingGroup* group;
    DeviceNumber device;
    const IoLimit* limit;
};

std::string step_for(std::string_view words) {
    return "limit the " + std::string(words);
}

std::unexpected<Error> not_counted(std::string_view words, const Controller& controller) {
    return fail_input(step_for(words),
                      "no cgroup of the container has the " + std::string(controller.name) + " controller",
                      "a limit from the start, as high as you like: ctr run with the same option");
}

Status check_memory_in_use(const ExistingGroup& group, uint64_t limit) {
    // v1 takes a limit only if it could get below it. v2 takes any, and kills.
    if (group.version == Version::v1) return {};
    const Usage usage = read_usage({group.directory.path()});
    if (!usage.memory || *usage.memory <= limit) return {};
    return fail_input(step_for("memory"),
                      format_bytes(*usage.memory) + " are in use, more than " + format_bytes(limit) +
                          ": processes would be killed",
                      "a limit above that");
}

Result<std::vector<QuantityChange>> find_quantities(const Groups& groups, const Limits& limits) {
    std::vector<QuantityChange> changes;
    for (const Quantity& quantity : quantities) {
        const uint64_t value = limits.*quantity.member;
        if (value == 0) continue;
        const auto group = std::ranges::find_if(groups, [&](const ExistingGroup& candidate) {
            return candidate.directory.has(
                backend_of(candidate.version).settings(quantity, value).front().file);
        });
        if (group == groups.end()) return not_counted(quantity.words, quantity.controller);
        if (quantity.controller == memory_controller)
            if (auto fits = check_memory_in_use(*group, value); !fits) return std::unexpected(fits.error());
        changes.push_back({&*group, backend_of(group->version).settings(quantity, value), &quantity, value});
    }
    return changes;
}

Result<std::vector<DeviceChange>> find_devices(const Groups& groups, const Limits& limits, const Host& host,
                                               std::vector<std::string>& warnings) {
    std::vector<DeviceChange> changes;
    for (const IoLimit& limit : limits.io) {
        const auto device = find_device(limit.path, host);
        if (!device) return std::unexpected(device.error());
        const auto group = std::ranges::find_if(groups, [](const ExistingGroup& candidate) {
            return std::ranges::any_of(
                io_files, [&](std::string_view file) { return candidate.directory.has(std::string(file)); });
        });
        if (group == groups.end()) return not_counted("device of \"" + limit.path + "\"", io_controller);
        if (!device->partition.empty())
            warnings.push_back("the limit on partition " + device->partition +
                               " counts against its whole disk " + device->name + " (" +
                               to_string(device->number) + ")");
        if (group->version == Version::v1 && (limit.write_bytes != 0 || limit.write_operations != 0))
            warnings.push_back("cgroup v1 doesn't throttle buffered writes; the write limit on " +
                               device->name + " (" + to_string(device->number) +
                               ") holds for direct and synchronous writes (O_DIRECT, O_SYNC, fsync)");
        changes.push_back({&*group, device->number, &limit});
    }
    return changes;
}

Error explained(Error error, const QuantityChange& change) {
    if (error.err == EBUSY && change.quantity->controller == memory_controller) {
        const Usage usage = read_usage({change.group->directory.path()});
        error.why = "more is in use" + (usage.memory ? ": " + format_bytes(*usage.memory) : std::string());
        error.hint = "a limit above that";
    } else if (error.err == EINVAL && change.quantity->controller == cpu_controller) {
        error.why = "the group above allows less";
        error.hint = "a smaller number";
    }
    return error;
}

Status write_setting(const QuantityChange& change, const Setting& setting,
                     std::vector<std::string>& warnings) {
    if (!setting.without.empty() && !change.group->directory.has(setting.file)) {
        warnings.push_back(setting.without);
        return {};
    }
    return change.group->directory.write(setting.file, setting.text, step_for(change.quantity->words));
}

Status apply(const QuantityChange& change, std::vector<std::string>& warnings) {
    std::vector<Setting> settings = change.settings;
    Status written = write_setting(change, settings.front(), warnings);
    // Of v1's two limits of memory the first may at no time be above the second: a higher one goes the other
    // way round.
    if (!written && written.error().err == EINVAL && settings.size() > 1) {
        std::ranges::reverse(settings);
        written = write_setting(change, settings.front(), warnings);
    }
    for (size_t i = 1; written && i < settings.size(); ++i)
        written = write_setting(change, settings[i], warnings);
    if (written) return {};
    return std::unexpected(explained(std::move(written).error(), change));
}

}  // namespace

Result<std::vector<std::string>> change_limits(const std::vector<std::string>& directories,
                                               const Limits& limits, const Host& host) {
    if (auto valid = validate(limits); !valid) return std::unexpected(std::move(valid).error());
    const Groups groups = open_groups(directories);
    std::vector<std::string> warnings;
    const auto quantities_changed = find_quantities(groups, limits);
    if (!quantities_changed) return std::unexpected(quantities_changed.error());
    const auto devices_changed = find_devices(groups, limits, host, warnings);
    if (!devices_changed) return std::unexpected(devices_changed.error());
    for (const QuantityChange& change : *quantities_changed)
        if (auto done = apply(change, warnings); !done) return std::unexpected(std::move(done).error());
    for (const DeviceChange& change : *devices_changed)
        if (auto done = backend_of(change.group->version)
                            .limit(change.group->directory, change.device, *change.limit);
            !done)
            return std::unexpected(std::move(done).error());
    return warnings;
}

}  // namespace ctr::cgroup
