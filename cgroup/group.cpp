#include "cgroup/group.h"

#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "runtime/base/random.h"

namespace ctr::cgroup {
namespace {

Status check_name(const std::string& name) {
    const bool fine = !name.empty() && name.size() <= NAME_MAX && name != "." && name != ".." &&
                      name.find('/') == std::string::npos && name.find('\n') == std::string::npos &&
                      name.find('\0') == std::string::npos;
    if (fine) return {};
    return fail_input("create the cgroup \"" + name + "\"", "that is no file name",
                      "letters, digits and dashes");
}

std::vector<std::string> unlimited_writes_of(const ResolvedLimits& resolved, const std::string& why) {
    std::vector<std::string> texts;
    if (why.empty()) return texts;
    for (const auto& [number, device] : resolved.devices) {
        if (!limits_writes(resolved.limits.at(number))) continue;
        texts.push_back(why + "; the write limit on " + device.name + " (" + to_string(number) +
                        ") holds for direct and synchronous writes (O_DIRECT, O_SYNC, fsync)");
    }
    return texts;
}

// The hierarchies of the controllers, with those that are in each.
Result<std::map<Hierarchy, std::vector<Controller>>> hierarchies_of(
    const std::vector<Controller>& controllers, const Host& host) {
    std::map<Hierarchy, std::vector<Controller>> needed;
    for (const Controller& controller : controllers) {
        Result<Hierarchy> hierarchy = find_hierarchy(controller, host);
        if (!hierarchy) return std::unexpected(hierarchy.error());
        needed[*std::move(hierarchy)].push_back(controller);
    }
    return needed;
}

}  // namespace

Status Backend::limit(const Directory& group, DeviceNumber device, const IoLimit& limit) const {
    const auto needed = settings(device, limit);
    if (!needed) return std::unexpected(needed.error());
    for (const Setting& setting : *needed)
        if (auto written = group.write(setting.file, setting.text, setting.step); !written) return written;
    return {};
}

const Backend& backend_of(Version version) {
    return version == Version::v1 ? v1_backend() : v2_backend();
}

Result<std::string> unique_group_name() {
    const auto digits = random_digits(8, "make a name for the cgroup");
    if (!digits) return std::unexpected(digits.error());
    return "ctr-" + std::to_string(getpid()) + "-" + *digits;
}

Result<std::vector<std::string>> possible_directories(const std::string& name,
                                                      const std::vector<Controller>& controllers,
                                                      const Host& host) {
    if (Status status = check_name(name); !status) return std::unexpected(status.error());
    const auto needed = hierarchies_of(controllers, host);
    if (!needed) return std::unexpected(needed.error());
    std::vector<std::string> directories;
    for (const auto& [hierarchy, theirs] : *needed)
        for (const std::string& parent : backend_of(hierarchy.version).parents(hierarchy))
            directories.push_back(std::string(parent).append("/").append(name));
    return directories;
}

Group::~Group() {
    static_cast<void>(remove());
}

Result<Group> Group::create(const std::string& name, const std::vector<Controller>& controllers,
                            const Limits& limits, const Host& host) {
    if (Status status = check_name(name); !status) return std::unexpected(status.error());
    if (Status status = validate(limits); !status) return std::unexpected(status.error());
    Result<ResolvedLimits> resolved = resolve(limits.io, host);
    if (!resolved) return std::unexpected(resolved.error());
    const auto needed = hierarchies_of(controllers, host);
    if (!needed) return std::unexpected(needed.error());

    Group group;  // from here on errors remove what was made
    for (const auto& [hierarchy, theirs] : *needed) {
        Result<Backend::Made> made = group.add_part(hierarchy, theirs, name, host.genuine);
        if (!made) return std::unexpected(made.error());
        const Part& part = group.parts_.back();
        if (std::ranges::count(theirs, io_controller) != 0)
            if (Status s = group.limit_devices(part, *std::move(made), *resolved); !s)
                return std::unexpected(s.error());
        for (const Quantity& quantity : quantities)
            if (std::ranges::count(theirs, quantity.controller) != 0)
                if (Status s = group.limit_quantity(part, quantity, limits.*quantity.member); !s)
                    return std::unexpected(s.error());
    }
    return group;
}

Status Group::extend(const std::string& name, const Controller& controller, const Host& host) {
    const auto hierarchy = find_hierarchy(controller, host);
    if (!hierarchy) return std::unexpected(hierarchy.error());
    const std::string path = hierarchy->own + "/" + name;
    if (hierarchy->version != Version::v1 || std::ranges::count(directories_, path) != 0) return {};
    Result<Backend::Made> made = add_part(*hierarchy, {controller}, name, host.genuine);
    if (!made) return std::unexpected(std::move(made).error());
    // What the caller's own group imposes holds on.
    return controller == io_controller ? limit_devices(parts_.back(), *std::move(made), {}) : Status{};
}

Result<Backend::Made> Group::add_part(const Hierarchy& hierarchy, const std::vector<Controller>& controllers,
                                      const std::string& name, bool genuine) {
    Result<Backend::Made> made = backend_of(hierarchy.version).make(hierarchy, controllers, name, genuine);
    if (!made) return made;
    directories_.push_back(made->directory.path());
    std::ranges::move(made->notes, std::back_inserter(notes_));
    parts_.push_back({hierarchy.version, std::move(made->directory), controllers});
    return made;
}

Status Group::limit_devices(const Part& part, Backend::Made made, ResolvedLimits resolved) {
    for (const auto& [number, inherited] : made.inherited) {
        merge(inherited, resolved.limits[number]);
        resolved.notes.push_back("taken over from this process's own cgroup for device " + to_string(number) +
                                 ": " + describe_rates(inherited));
    }
    for (const auto& [number, limit] : resolved.limits)
        if (Status status = backend_of(part.version).limit(part.directory, number, limit); !status)
            return status;
    // What the paths were resolved to comes first.
    notes_.insert(notes_.begin(), resolved.notes.begin(), resolved.notes.end());
    std::ranges::move(resolved.warnings, std::back_inserter(warnings_));
    unlimited_writes_ = unlimited_writes_of(resolved, made.buffered_writes_why);
    if (!unlimited_writes_.empty()) buffered_writes_why_ = std::move(made.buffered_writes_why);
    return {};
}

Status Group::limit_quantity(const Part& part, const Quantity& quantity, uint64_t value) {
    if (value == 0) return {};
    for (const Setting& setting : backend_of(part.version).settings(quantity, value))
        if (auto written = write_setting(part.directory, setting, &quantity, warnings_); !written)
            return written;
    return {};
}

const Group::Part& Group::io_part() const {
    return *std::ranges::find_if(
        parts_, [](const Part& part) { return std::ranges::count(part.controllers, io_controller) != 0; });
}

Status Group::join(HostPid process) const {
    const std::string step = "move process " + std::to_string(raw(process)) + " into the cgroup";
    // The kernel takes 0 for the writer itself, which is never meant here.
    if (raw(process) <= 0) return fail_input(step, "that is no process");
    for (const Part& part : parts_)
        if (Status joined = part.directory.write("cgroup.procs", std::to_string(raw(process)), step); !joined)
            return joined;
    return {};
}

Status Group::kill() const {
    for (const Part& part : parts_)
        if (Status killed = backend_of(part.version).kill(part.directory); !killed) return killed;
    return {};
}

Status Group::remove() {
    Status status = remove_directories(directories_);
    if (status) directories_.clear();
    return status;
}

Result<IoCounters> Group::read_counters(DeviceNumber device) const {
    return backend_of(io_part().version).read_counters(io_part().directory, device);
}

Version Group::io_version() const {
    return io_part().version;
}

}  // namespace ctr::cgroup
