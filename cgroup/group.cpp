#include "cgroup/group.h"

#include <limits.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

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

// The parsers give no such limits, but a program that fills in IoLimit by itself may.
Status check_limit(const IoLimit& limit) {
    const std::string step = "limit the device of \"" + limit.path + "\"";
    bool any = false;
    for (const IoQuantity& quantity : io_quantities) {
        const uint64_t value = limit.*quantity.member;
        any = any || value != 0;
        if (quantity.operations && value > std::numeric_limits<uint32_t>::max()) {
            return fail_input(step, std::to_string(value) + " " + std::string(quantity.words) +
                                        "/s is more than 4294967295, the kernel's largest");
        }
    }
    if (!any) return fail_input(step, "nothing of it is limited", "give at least one rate");
    return {};
}

// Lowers what is limited in INTO to the lower of both; true if both limited some quantity, differently.
bool merge(const IoLimit& from, IoLimit& into) {
    bool conflict = false;
    for (const IoQuantity& quantity : io_quantities) {
        const uint64_t theirs = from.*quantity.member;
        uint64_t& ours = into.*quantity.member;
        if (theirs == 0) continue;
        conflict = conflict || (ours != 0 && ours != theirs);
        ours = ours == 0 ? theirs : std::min(ours, theirs);
    }
    return conflict;
}

struct Resolved {
    std::map<DeviceNumber, BlockDevice> devices;
    LimitsByDevice limits;
    std::vector<std::string> warnings;
    std::vector<std::string> notes;
};

Result<Resolved> resolve(const std::vector<IoLimit>& limits, const Host& host) {
    Resolved resolved;
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

bool limits_writes(const IoLimit& limit) {
    return limit.write_bytes != 0 || limit.write_operations != 0;
}

void warn_of_buffered_writes(const Resolved& resolved, const std::string& why,
                             std::vector<std::string>& warnings) {
    if (why.empty()) return;
    for (const auto& [number, device] : resolved.devices) {
        if (!limits_writes(resolved.limits.at(number))) continue;
        warnings.push_back(why + "; the write limit on " + device.name + " (" + to_string(number) +
                           ") holds for direct and synchronous writes (O_DIRECT, O_SYNC, fsync)");
    }
}

}  // namespace

const Backend& backend_of(Version version) {
    return version == Version::v1 ? v1_backend() : v2_backend();
}

Result<std::string> unique_group_name() {
    std::array<unsigned char, 8> random;
    // Never short and never interrupted for so few bytes (getrandom(2)).
    if (getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
        return fail_call("make a name for the cgroup", "getrandom");
    }
    std::string name = "ctr-" + std::to_string(getpid()) + "-";
    for (unsigned char byte : random) {
        constexpr std::string_view digits = "0123456789abcdef";
        name += digits[byte >> 4];
        name += digits[byte & 15];
    }
    return name;
}

Result<std::vector<std::string>> possible_directories(const std::string& name, const Host& host) {
    if (Status status = check_name(name); !status) return std::unexpected(status.error());
    const Result<Hierarchy> hierarchy = find_hierarchy(io_controller, host);
    if (!hierarchy) return std::unexpected(hierarchy.error());
    std::vector<std::string> directories = backend_of(hierarchy->version).parents(*hierarchy);
    for (std::string& directory : directories) directory += "/" + name;
    return directories;
}

Group::Group(Version version, Directory directory) : version_(version), directory_(std::move(directory)) {
    directories_.push_back(directory_.path());
}

Group::~Group() {
    static_cast<void>(remove());
}

Result<Group> Group::create(const std::string& name, const std::vector<IoLimit>& limits, const Host& host) {
    if (Status status = check_name(name); !status) return std::unexpected(status.error());
    Result<Resolved> resolved = resolve(limits, host);
    if (!resolved) return std::unexpected(resolved.error());
    const Result<Hierarchy> hierarchy = find_hierarchy(io_controller, host);
    if (!hierarchy) return std::unexpected(hierarchy.error());
    const Backend& backend = backend_of(hierarchy->version);
    Result<Backend::Made> made = backend.make(*hierarchy, name, host.genuine);
    if (!made) return std::unexpected(made.error());

    Group group(hierarchy->version, std::move(made->directory));  // from here on errors remove the directory
    for (const auto& [number, inherited] : made->inherited) {
        merge(inherited, resolved->limits[number]);
        resolved->notes.push_back("taken over from this process's own cgroup for device " +
                                  to_string(number) + ": " + describe_rates(inherited));
    }
    for (const auto& [number, limit] : resolved->limits) {
        Status status = backend.limit(group.directory_, number, limit);
        if (!status) return std::unexpected(status.error());
    }
    group.notes_ = std::move(resolved->notes);
    std::move(made->notes.begin(), made->notes.end(), std::back_inserter(group.notes_));
    group.warnings_ = std::move(resolved->warnings);
    warn_of_buffered_writes(*resolved, made->buffered_writes_why, group.warnings_);
    return group;
}

Status Group::join(HostPid process) const {
    const std::string step = "move process " + std::to_string(raw(process)) + " into the cgroup";
    // The kernel takes 0 for the writer itself, which is never meant here.
    if (raw(process) <= 0) return fail_input(step, "that is no process");
    return directory_.write("cgroup.procs", std::to_string(raw(process)), step);
}

Status Group::kill() const {
    return backend_of(version_).kill(directory_);
}

Status Group::remove() {
    Status status = remove_directories(directories_);
    if (status) directories_.clear();
    return status;
}

Result<IoCounters> Group::read_counters(DeviceNumber device) const {
    return backend_of(version_).read_counters(directory_, device);
}

}  // namespace ctr::cgroup
