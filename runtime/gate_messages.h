// What is asked of a container's write gate on its socket (control.h), and what it answers:
//
//   supervisor                                    whoever connects
//        | <-- "gate", with other settings or none ---  |
//        | -- settings and counters, or an error ---->  |     at once
//
// Other settings take the place of all that were; who asks without any changes nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cgroup/throttle_counters.h"
#include "runtime/base/error.h"
#include "runtime/base/fd.h"
#include "runtime/gate_settings.h"

namespace ctr {

struct GateQuestion {
    std::optional<GateSettings> change;
};

struct GateAnswer {
    std::optional<GateSettings> settings;  // absent: there is no gate
    std::vector<cgroup::ThrottleCounters> counters;
};

Status ask_gate(const Fd& connection, const GateQuestion& question);
Result<GateAnswer> receive_gate_answer(const Fd& connection);

// The supervisor's side. Nothing: it is something else, which stays to be received. A question that is none
// of ours is an error.
std::optional<Result<GateQuestion>> take_gate_question(const Fd& connection);
Status answer_gate(const Fd& connection, const Result<GateAnswer>& answer);

}  // namespace ctr
