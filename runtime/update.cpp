#include "runtime/update.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <set>

#include "cgroup/change.h"
#include "runtime/contact.h"
#include "runtime/limiting.h"

namespace ctr {

namespace {

using Io = std::vector<cgroup::IoLimit>;
using Warnings = std::vector<std::string>;

void append(const Warnings& more, Warnings& to) {
    for (const std::string& text : more)
        if (std::ranges::find(to, text) == to.end()) to.push_back(text);
}

// The disks that a change concerns, and what is limited of them before and after it.
class Disks {
  public:
    static Result<Disks> find(const Io& changed, const Io& before, const Io& after, Warnings& warnings) {
        Disks disks;
        if (changed.empty()) return disks;
        for (const cgroup::IoLimit& limit : changed) {
            const auto device = cgroup::find_device(limit.path);
            if (!device) return std::unexpected(device.error());
            disks.numbers_.insert(device->number);
        }
        disks.before_ = disks.only_these(before, warnings);
        disks.after_ = disks.only_these(after, warnings);
        return disks;
    }

    // What the kernel is to be told: also that something isn't limited any more.
    Result<cgroup::LimitsByDevice> for_kernel(bool all_writes, Warnings& warnings) const {
        const auto earlier = cgroup::resolve(kernels_part(before_, all_writes));
        if (!earlier) return std::unexpected(earlier.error());
        auto later = cgroup::resolve(kernels_part(after_, all_writes));
        if (!later) return std::unexpected(std::move(later).error());
        append(later->warnings, warnings);
        for (const auto& [number, limit] : earlier->limits) lift_the_rest(limit, later->limits[number]);
        return std::move(later->limits);
    }

    // The gate's other disks stay as they are.
    Result<GateSettings> for_gate(GateSettings settings, Warnings& warnings) const {
        const auto later = cgroup::resolve(gates_part(after_, settings.all_writes));
        if (!later) return std::unexpected(later.error());
        append(later->warnings, warnings);
        std::erase_if(settings.disks, [&](const GatedDisk& disk) { return numbers_.contains(disk.device); });
        for (GatedDisk& disk : gated_disks(*later)) settings.disks.push_back(std::move(disk));
        return settings;
    }

  private:
    // What is changed has been found, so what isn't is limited already, by a path that led to a disk then.
    Io only_these(const Io& limits, Warnings& warnings) const {
        Io found;
        for (const cgroup::IoLimit& limit : limits) {
            const auto device = cgroup::find_device(limit.path);
            if (!device)
                append({"an earlier limit is left out, as its disk isn't found any more: " +
                        device.error().message()},
                       warnings);
            else if (numbers_.contains(device->number))
                found.push_back(limit);
        }
        return found;
    }

    static void lift_the_rest(const cgroup::IoLimit& before, cgroup::IoLimit& after) {
        for (const cgroup::IoQuantity& quantity : cgroup::io_quantities)
            if (before.*quantity.member != 0 && after.*quantity.member == 0)
                after.*quantity.member = cgroup::unlimited;
        if (before.latency != 0 && after.latency == 0) after.latency = cgroup::unlimited;
    }

    std::set<cgroup::DeviceNumber> numbers_;
    Io before_;
    Io after_;
};

Status check_gate(const cgroup::Limits& changed, const std::optional<GateSettings>& gate) {
    if (gate || std::ranges::none_of(changed.io, cgroup::names_strategy)) return {};
    return fail_input("slow writers down as \"leaky\" or \"token\" says",
                      "nobody slows them down in user space in this container: that takes a filter from its "
                      "start",
                      "PATH:RATE, for the kernel; or ctr run --io-throttle=user with a limit on writes, as "
                      "high as you like");
}

// Without a change of writes, or of a disk whose writes are limited, who keeps them doesn't matter: also a
// monitor that has no answer can't stand in the way then.
bool concerns_gate(const Io& changed, const Io& before) {
    const auto any_writes = [](const Io& limits) {
        return std::ranges::any_of(limits, cgroup::limits_writes);
    };
    return any_writes(changed) || (!changed.empty() && any_writes(before));
}

// Of what the kernel is left to limit and can't in full.
void warn_of_buffered_writes(const std::vector<std::string>& groups, const cgroup::LimitsByDevice& devices,
                             Warnings& warnings) {
    if (!cgroup::limits_direct_writes_only(groups)) return;
    for (const auto& [number, limit] : devices)
        if ((limit.write_bytes != 0 && limit.write_bytes != cgroup::unlimited) ||
            (limit.write_operations != 0 && limit.write_operations != cgroup::unlimited))
            append({"cgroup v1 doesn't throttle buffered writes; the write limit on device " +
                    to_string(number) +
                    " holds for direct and synchronous writes (O_DIRECT, O_SYNC, fsync). A container that is "
                    "started with a limit on writes has them all slowed down"},
                   warnings);
}

}  // namespace

Result<std::vector<std::string>> update_limits(const Registry& registry, const Entry& entry,
                                               const cgroup::Limits& limits) {
    const auto named = [&](Error error) {
        return std::unexpected(
            std::move(error).within("change the limits of container \"" + entry.name() + "\""));
    };
    const auto alone = entry.lock_settings();
    if (!alone) return std::unexpected(alone.error());
    const auto contact = Contact::make(entry);  // so that the groups are those of a living one
    if (!contact) return std::unexpected(contact.error());
    const auto state = entry.read();
    if (!state) return std::unexpected(state.error());
    const cgroup::Limits changed = with_whole_paths(limits);
    const auto gate = concerns_gate(changed.io, state->limits.io) ? contact->gate() : std::nullopt;
    if (!gate) return named(gate.error());
    if (auto possible = check_gate(changed, *gate); !possible) return named(std::move(possible).error());
    cgroup::Limits after = state->limits;
    cgroup::change(changed, after);
    if (auto valid = cgroup::validate(after); !valid) return named(std::move(valid).error());

    Warnings warnings;
    const auto disks = Disks::find(changed.io, state->limits.io, after.io, warnings);
    if (!disks) return named(disks.error());
    const auto devices = disks->for_kernel(*gate && (*gate)->all_writes, warnings);
    if (!devices) return named(devices.error());
    std::optional<GateSettings> settings;
    if (*gate && std::ranges::any_of(changed.io, cgroup::limits_writes)) {
        auto wanted = disks->for_gate(**gate, warnings);
        if (!wanted) return named(std::move(wanted).error());
        settings = std::move(*wanted);
    }

    auto kernels = cgroup::change_limits(state->cgroups, changed, *devices);
    if (!kernels) return named(std::move(kernels).error());
    Status done = settings ? contact->change_gate(*settings) : Status{};
    const bool may_differ = settings && (done || done.error().err == ETIMEDOUT);
    if (done) done = registry.change(entry, [&](State& now) { cgroup::change(changed, now.limits); });
    if (!done) {
        Error error = std::move(done).error();
        const Status restored = may_differ ? contact->restore_gate(**gate) : Status{};
        if (!restored) error = std::move(error).with(restored.error());
        if (const auto undone = kernels->undo(); !undone) error = std::move(error).with(undone.error());
        return named(std::move(error));
    }
    append(kernels->warnings(), warnings);
    warn_of_buffered_writes(state->cgroups, *devices, warnings);
    return warnings;
}

}  // namespace ctr
