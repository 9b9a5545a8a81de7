#include "runtime/update.h"

#include <algorithm>

#include "cgroup/change.h"
#include "runtime/contact.h"

namespace ctr {

void merge_limits(const cgroup::Limits& changed, cgroup::Limits& into) {
    for (const cgroup::Quantity& quantity : cgroup::quantities)
        if (changed.*quantity.member != 0) into.*quantity.member = changed.*quantity.member;
    for (const cgroup::IoLimit& limit : changed.io) {
        const auto same = std::ranges::find(into.io, limit.path, &cgroup::IoLimit::path);
        cgroup::IoLimit& place = same != into.io.end() ? *same : into.io.emplace_back(limit);
        for (const cgroup::IoQuantity& quantity : cgroup::io_quantities)
            if (limit.*quantity.member != 0) place.*quantity.member = limit.*quantity.member;
    }
}

Result<std::vector<std::string>> update_limits(const Registry& registry, const Entry& entry,
                                               const cgroup::Limits& limits) {
    const auto named = [&](Error error) {
        return std::unexpected(
            std::move(error).within("change the limits of container \"" + entry.name() + "\""));
    };
    const auto contact = Contact::make(entry);  // so that the groups are those of a living one
    if (!contact) return std::unexpected(contact.error());
    const auto state = entry.read();
    if (!state) return std::unexpected(state.error());
    auto warnings = cgroup::change_limits(state->cgroups, limits);
    if (!warnings) return named(std::move(warnings).error());
    const bool writes = std::ranges::any_of(limits.io, cgroup::limits_writes);
    const auto gated = writes ? contact->throttled() : std::vector<cgroup::ThrottleCounters>();
    if (gated && !gated->empty())
        warnings->push_back(
            "writes are slowed down in user space here, at the rates that the container was started with: "
            "only the "
            "kernel's limits have changed, which hold beside that");
    auto written = registry.change(entry, [&](State& now) { merge_limits(limits, now.limits); });
    if (!written) return named(std::move(written).error());
    return warnings;
}

}  // namespace ctr
