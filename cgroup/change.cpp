#include "cgroup/change.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "cgroup/rate.h"
#include "cgroup/usage.h"

namespace ctr::cgroup {

namespace {

std::string step_for(std::string_view words) {
    return "limit the " + std::string(words);
}

std::unexpected<Error> not_counted(std::string step, const Controller& controller) {
    return fail_input(std::move(step),
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

Error explained(Error error, const ExistingGroup& group) {
    if (error.err != EBUSY) return error;
    const Usage usage = read_usage({group.directory.path()});
    error.why = "more is in use" + (usage.memory ? ": " + format_bytes(*usage.memory) : std::string());
    error.hint = "a limit above that";
    return error;
}

// With what the group above imposes, where that isn't passed on.
Result<IoLimit> within_the_group_above(const ExistingGroup& group, DeviceNumber device, IoLimit limit) {
    const std::string& path = group.directory.path();
    const auto above = Directory::open(path.substr(0, path.rfind('/')), "find the group above");
    if (!above) return std::unexpected(above.error());
    const auto imposed = backend_of(group.version).not_passed_on(*above);
    if (!imposed) return std::unexpected(imposed.error());
    const auto theirs = imposed->find(device);
    if (theirs == imposed->end()) return limit;
    for (const IoQuantity& quantity : io_quantities)
        if (const uint64_t most = theirs->second.*quantity.member; most != 0 && limit.*quantity.member != 0)
            limit.*quantity.member = std::min(limit.*quantity.member, most);
    return limit;
}

bool has_any(const ExistingGroup& group, const std::vector<Setting>& settings) {
    return std::ranges::any_of(settings,
                               [&](const Setting& setting) { return group.directory.has(setting.file); });
}

bool limits_devices(const ExistingGroup& group) {
    const auto settings =
        backend_of(group.version).settings(DeviceNumber{}, {.path = {}, .read_bytes = unlimited});
    return settings && has_any(group, *settings);
}

void append(std::vector<std::string>& to, const std::string& text) {
    if (std::ranges::find(to, text) == to.end()) to.push_back(text);
}

}  // namespace

Result<std::vector<Change::Step>> Change::plan(const Quantity& quantity, uint64_t value) const {
    std::vector<Step> steps;
    for (const ExistingGroup& group : groups_) {
        auto settings = backend_of(group.version).settings(quantity, value);
        const bool weighs = quantity.controller == io_controller && limits_devices(group);
        if (!weighs && !has_any(group, settings)) continue;
        if (quantity.controller == memory_controller)
            if (auto fits = check_memory_in_use(group, value); !fits) return std::unexpected(fits.error());
        for (Setting& setting : settings)
            if (value != unlimited || group.directory.has(setting.file))  // else it isn't limited anyway
                steps.push_back({&group, std::move(setting), &quantity});
        return steps;
    }
    return not_counted(step_for(quantity.words), quantity.controller);
}

Result<std::vector<Change::Step>> Change::plan(DeviceNumber device, const IoLimit& limit) const {
    for (const ExistingGroup& group : groups_) {
        if (!limits_devices(group)) continue;
        const auto bounded = within_the_group_above(group, device, limit);
        if (!bounded) return std::unexpected(bounded.error());
        auto settings = backend_of(group.version).settings(device, *bounded);
        if (!settings) return std::unexpected(std::move(settings).error());
        std::vector<Step> steps;
        for (Setting& setting : *settings) steps.push_back({&group, std::move(setting), nullptr});
        return steps;
    }
    return not_counted("limit device " + to_string(device), io_controller);
}

Result<std::vector<Change::Step>> Change::plan(const Limits& limits, const LimitsByDevice& devices) const {
    std::vector<Step> steps;
    const auto add = [&](Result<std::vector<Step>> some) -> Status {
        if (!some) return std::unexpected(std::move(some).error());
        std::ranges::move(*some, std::back_inserter(steps));
        return {};
    };
    for (const Quantity& quantity : quantities)
        if (const uint64_t value = limits.*quantity.member; value != 0)
            if (auto added = add(plan(quantity, value)); !added) return std::unexpected(added.error());
    for (const auto& [device, limit] : devices)
        if (auto added = add(plan(device, limit)); !added) return std::unexpected(added.error());
    return steps;
}

Status Change::make(const Step& step) {
    const Directory& group = step.group->directory;
    auto before = text_now(group, step.setting);
    if (!before) return std::unexpected(std::move(before).error());  // it couldn't be put back
    std::vector<std::string> warnings;
    Status written = write_setting(group, step.setting, step.quantity, warnings);
    if (!written) return std::unexpected(explained(std::move(written).error(), *step.group));
    for (const std::string& warning : warnings) append(warnings_, warning);
    if (!*before) return {};
    done_.push_back(step);
    done_.back().setting.text = std::move(**before);
    return {};
}

// Of v1's two limits of memory the first may at no time be above the second: a higher one goes the other way
// round. So what is refused as it stands is tried once more after the one that follows.
Status Change::make(std::vector<Step> steps) {
    for (size_t i = 0; i < steps.size(); ++i) {
        Status made = make(steps[i]);
        const bool again = !made && made.error().err == EINVAL && i + 1 < steps.size() &&
                           steps[i].quantity != nullptr && steps[i].quantity == steps[i + 1].quantity;
        if (again && make(steps[i + 1])) {
            std::swap(steps[i], steps[i + 1]);
            made = make(steps[i + 1]);
            ++i;
        }
        if (!made) return made;
    }
    return {};
}

Status Change::undo() {
    Status result;
    for (; !done_.empty(); done_.pop_back()) {
        const Step& step = done_.back();
        Status written = write_setting(step.group->directory, step.setting, step.quantity, warnings_);
        if (!written && result)
            result = std::unexpected(std::move(written).error().within("put back what was there before"));
    }
    return result;
}

Result<Change> change_limits(const std::vector<std::string>& directories, const Limits& limits,
                             const LimitsByDevice& devices) {
    Change change(open_groups(directories));
    auto steps = change.plan(limits, devices);
    if (!steps) return std::unexpected(std::move(steps).error());
    if (auto made = change.make(std::move(*steps)); !made) {
        const auto undone = change.undo();
        if (undone) return std::unexpected(std::move(made).error());
        return std::unexpected(std::move(made).error().with(undone.error()));
    }
    return change;
}

bool limits_direct_writes_only(const std::vector<std::string>& directories) {
    return std::ranges::any_of(open_groups(directories), [](const ExistingGroup& group) {
        return group.version == Version::v1 && limits_devices(group);
    });
}

}  // namespace ctr::cgroup
