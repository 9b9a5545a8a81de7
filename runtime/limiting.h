// Who keeps a container's limits: the kernel, by a control group, or the write gate (write_gate.h), which
// slows writers down where the kernel can't.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/group.h"
#include "cgroup/limits.h"
#include "cgroup/resolved_limits.h"
#include "runtime/base/error.h"
#include "runtime/facts.h"
#include "runtime/gate_settings.h"
#include "runtime/notice.h"
#include "runtime/spec.h"
#include "runtime/write_gate.h"

namespace ctr {

// Of limits on devices, those that the gate keeps (of writes: all, or those that name a strategy), and those
// that are left to the kernel.
std::vector<cgroup::IoLimit> gates_part(const std::vector<cgroup::IoLimit>& limits, bool all_writes);
std::vector<cgroup::IoLimit> kernels_part(const std::vector<cgroup::IoLimit>& limits, bool all_writes);

// As they are written down: a path has one spelling, wherever somebody stands who names it.
cgroup::Limits with_whole_paths(cgroup::Limits limits);

// Those of the disks whose writes are limited.
std::vector<GatedDisk> gated_disks(const cgroup::ResolvedLimits& limits);

struct Limiting {
    bool user = false;                   // all limits on writes are to be the gate's
    cgroup::Limits kernel;               // what it is to keep
    std::vector<cgroup::IoLimit> gated;  // writes that the gate limits
    std::vector<cgroup::IoLimit>
        standby;           // of the kernel's: the gate too, if that turns out not to keep them
    std::string why;       // that is known already; empty: it isn't
    bool no_gate = false;  // there can't be one
};

// As --io-throttle says. KERNEL: whether there is a hierarchy for limits on devices. Pure.
Result<Limiting> choose_limiting(const Spec& spec, const HostFacts& facts, const Status& kernel);

// Whether choose_limiting may lead to a gate, which takes a filter.
bool may_slow_writers(const Spec& spec, const HostFacts& facts);

struct Limited {
    std::optional<cgroup::Group> group;  // absent: nothing takes one
    std::optional<WriteGate> gate;       // likewise
};

// Makes the group of that name (empty: none is needed) and the gate, and says what is limited by whom. On an
// error nothing is left behind.
// COUNTED: controllers that the group is to have beside those, as far as they can be had.
Result<Limited> limit(Limiting limiting, const std::string& group,
                      const std::vector<cgroup::Controller>& counted,
                      const std::function<void(const Notice&)>& notify);

}  // namespace ctr
