#include "runtime/limiting.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace ctr {

namespace {

constexpr const char* step = "slow the writers down";
constexpr const char* the_one_listener =
    "whose processes are numbered, or whose writers are slowed down: that takes the one listener for system "
    "calls that a process can have";

bool limits_any_writes(const std::vector<cgroup::IoLimit>& limits) {
    return std::ranges::any_of(limits, cgroup::limits_writes);
}

void leave_out(cgroup::IoLimit& limit, const cgroup::IoQuantity& quantity) {
    limit.*quantity.member = 0;
    if (quantity.pace != nullptr) limit.*quantity.pace = {};
}

// Of each limit the quantities that are wanted; those of which nothing is left go.
template <class Wanted>
std::vector<cgroup::IoLimit> part_of(const std::vector<cgroup::IoLimit>& limits, Wanted wanted,
                                     bool with_latency = false) {
    std::vector<cgroup::IoLimit> part;
    for (cgroup::IoLimit limit : limits) {
        for (const cgroup::IoQuantity& quantity : cgroup::io_quantities)
            if (!wanted(limit, quantity)) leave_out(limit, quantity);
        if (!with_latency) limit.latency = 0;
        if (limits_anything(limit)) part.push_back(std::move(limit));
    }
    return part;
}

bool is_write(const cgroup::IoLimit&, const cgroup::IoQuantity& quantity) {
    return quantity.pace != nullptr;
}

bool has_strategy(const cgroup::IoLimit& limit, const cgroup::IoQuantity& quantity) {
    return quantity.pace != nullptr && limit.*quantity.member != 0 &&
           (limit.*quantity.pace).strategy != cgroup::Strategy::any;
}

bool only_writes(const cgroup::Limits& limits) {
    return limits.io_weight == 0 && std::ranges::none_of(limits.io, [](const cgroup::IoLimit& limit) {
               return cgroup::limits_reads(limit) || limit.latency != 0;
           });
}

// Where a filter with a listener is in force already there is no second one.
std::unexpected<Error> no_listener() {
    return fail_input(step, std::string("this ctr runs inside of a container ") + the_one_listener,
                      "--io-throttle=kernel, or give the limit to the outer container");
}

// The kernel was all that was left to keep them.
Error without_gate(Error error) {
    error.why += (error.why.empty() ? "" : "; and ") +
                 std::string("ctr can't slow writers down itself, inside of a container ") + the_one_listener;
    error.hint += (error.hint.empty() ? "" : "; or ") + std::string("give the limit to the outer container");
    return error;
}

void tell(const std::vector<std::string>& texts, Notice::Kind kind,
          const std::function<void(const Notice&)>& notify) {
    for (const std::string& text : texts) notify({kind, text});
}

Result<std::optional<cgroup::Group>> make_group(const std::string& name, const cgroup::Limits& limits) {
    const auto controllers = cgroup::controllers_of(limits);
    if (name.empty()) return std::nullopt;
    auto group = cgroup::Group::create(name, controllers, limits);
    if (!group) return std::unexpected(std::move(group).error());
    return std::optional(std::move(*group));
}

// Without the limits on devices, if these were the reason, and the gate can keep them all.
Result<std::optional<cgroup::Group>> make_group_or_less(const std::string& name, Limiting& limiting) {
    auto group = make_group(name, limiting.kernel);
    if (group || limiting.standby.empty() || !only_writes(limiting.kernel)) return group;
    limiting.kernel.io.clear();
    auto less = make_group(name, limiting.kernel);
    if (!less) return group;
    limiting.why = group.error().message();
    return less;
}

// said: the group has told of the same limits.
Status make_gate(const Limiting& limiting, Limited& limited, bool said,
                 const std::function<void(const Notice&)>& notify) {
    const auto resolved = cgroup::resolve(limiting.gated);
    if (!resolved) return std::unexpected(resolved.error());
    // What the kernel can't it can't later either.
    const bool all_writes = limiting.user || !limiting.why.empty();
    auto gate = WriteGate::create({all_writes, gated_disks(*resolved)});
    if (!gate) return std::unexpected(std::move(gate).error());
    limited.gate.emplace(std::move(*gate));
    if (!said) {
        tell(resolved->notes, Notice::Kind::information, notify);
        tell(resolved->warnings, Notice::Kind::warning, notify);
    }
    for (const auto& [number, device] : resolved->devices)
        notify({Notice::Kind::information, "who writes to " + device.name + " (" + to_string(number) +
                                               ") is slowed down in user space" +
                                               (limiting.why.empty() ? "" : ": " + limiting.why)});
    return {};
}

void count_also(cgroup::Group& group, const std::string& name, const std::vector<cgroup::Controller>& counted,
                const std::function<void(const Notice&)>& notify) {
    for (const cgroup::Controller& controller : counted)
        if (auto extended = group.extend(name, controller); !extended)
            notify({Notice::Kind::detail, "not counted: " + extended.error().message()});
}

}  // namespace

std::vector<cgroup::IoLimit> gates_part(const std::vector<cgroup::IoLimit>& limits, bool all_writes) {
    return part_of(limits, [&](const auto& limit, const auto& quantity) {
        return all_writes ? is_write(limit, quantity) : has_strategy(limit, quantity);
    });
}

std::vector<cgroup::IoLimit> kernels_part(const std::vector<cgroup::IoLimit>& limits, bool all_writes) {
    const auto wanted = [&](const auto& limit, const auto& quantity) {
        return all_writes ? !is_write(limit, quantity) : !has_strategy(limit, quantity);
    };
    return part_of(limits, wanted, true);
}

cgroup::Limits with_whole_paths(cgroup::Limits limits) {
    for (cgroup::IoLimit& limit : limits.io) {
        std::error_code error;
        const auto whole = std::filesystem::weakly_canonical(limit.path, error);
        if (!error) limit.path = whole;  // else it will be an error where it is looked for
    }
    return limits;
}

std::vector<GatedDisk> gated_disks(const cgroup::ResolvedLimits& limits) {
    std::vector<GatedDisk> disks;
    for (const auto& [number, limit] : limits.limits)
        if (limits_writes(limit)) disks.push_back({number, limits.devices.at(number).name, limit});
    return disks;
}

bool may_slow_writers(const Spec& spec, const HostFacts& facts) {
    return spec.io_throttle != IoThrottle::kernel && !facts.numbered && !facts.listened &&
           limits_any_writes(spec.limits.io);
}

Result<Limiting> choose_limiting(const Spec& spec, const HostFacts& facts, const Status& kernel) {
    Limiting limiting{spec.io_throttle == IoThrottle::user, spec.limits, {}, {}, {}, false};
    if (spec.io_throttle == IoThrottle::kernel || !limits_any_writes(spec.limits.io)) return limiting;
    limiting.gated = gates_part(spec.limits.io, limiting.user);
    limiting.kernel.io = kernels_part(spec.limits.io, limiting.user);
    limiting.no_gate = facts.numbered || facts.listened;
    if (limiting.no_gate && !limiting.gated.empty()) return no_listener();
    if (limiting.no_gate && !kernel) return std::unexpected(without_gate(kernel.error()));
    if (limiting.no_gate) return limiting;
    limiting.standby = part_of(limiting.kernel.io, is_write);
    if (!kernel && only_writes(limiting.kernel)) {
        limiting.kernel.io.clear();
        limiting.gated.insert(limiting.gated.end(), limiting.standby.begin(), limiting.standby.end());
        limiting.standby.clear();
        limiting.why = kernel.error().message();
    }
    return limiting;
}

Result<Limited> limit(Limiting limiting, const std::string& group,
                      const std::vector<cgroup::Controller>& counted,
                      const std::function<void(const Notice&)>& notify) {
    auto made = make_group_or_less(group, limiting);
    if (!made && limiting.no_gate) return std::unexpected(without_gate(std::move(made).error()));
    if (!made) return std::unexpected(std::move(made).error());
    Limited limited{std::move(*made), {}};
    if (limited.group) {
        tell(limited.group->notes(), Notice::Kind::information, notify);
        tell(limited.group->warnings(), Notice::Kind::warning, notify);
        if (limiting.why.empty()) limiting.why = limited.group->buffered_writes_why();
        if (limiting.standby.empty()) tell(limited.group->unlimited_writes(), Notice::Kind::warning, notify);
    }
    const bool said = limited.group && !limiting.kernel.io.empty();
    // Where the kernel keeps them, it does so better: also what is written by no call.
    if (!limiting.why.empty() && !limiting.standby.empty()) {
        limiting.gated.insert(limiting.gated.end(), limiting.standby.begin(), limiting.standby.end());
        // Two that slow the same write down, one after the other, would halve its rate.
        limiting.kernel.io = kernels_part(limiting.kernel.io, true);
        limited.group.reset();
        auto without = make_group(group, limiting.kernel);
        if (!without) return std::unexpected(std::move(without).error());
        if (*without) limited.group.emplace(std::move(**without));
    }
    if (limited.group) count_also(*limited.group, group, counted, notify);
    if (limiting.gated.empty()) return limited;
    if (auto gate = make_gate(limiting, limited, said, notify); !gate)
        return std::unexpected(std::move(gate).error());
    return limited;
}

}  // namespace ctr
