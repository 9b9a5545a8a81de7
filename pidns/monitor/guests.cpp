// What the layer's own code inside workloads (pidns/guest) asks for, in calls of its own.
#include <errno.h>

#include <utility>

#include "pidns/monitor/procfs.h"
#include "pidns/monitor/server.h"

namespace ctr::pidns {

void CallServer::answer_guest(const Trap& trap, const Call& call, const Caller& caller) {
    switch (static_cast<int>(trap.arguments[0])) {
        case layer_attach: listener_.answer(trap, attach(trap, caller)); return;
        case layer_reaped: return reaped(trap, call, caller);
        case layer_quiet: return fall_silent(trap, caller);
        default: listener_.answer(trap, 1);  // layer_question
    }
}

// Whoever has the file can write to it: that is in its contract (model/file.h).
long CallServer::attach(const Trap& trap, const Caller& caller) const {
    if (numbers_.attention().wanted(caller.process)) return -EAGAIN;
    const auto placed = listener_.place(trap, numbers_.file().get(), true);
    return placed ? *placed : -EAGAIN;
}

// Handlers that it sets later are seen when they are set (observe_handler).
void CallServer::fall_silent(const Trap& trap, const Caller& caller) {
    const auto sets = signal_sets(caller.process);
    if (sets && sets->caught != 0) {
        watch(caller.process, true);
        if (!tracees_.contains(raw(trap.thread))) tracer_.hold(caller.process);
    }
    listener_.answer(trap, 0);
}

// The number comes from a workload. Only a child of the caller can be reported to it; one that was reaped is
// nobody's any more.
void CallServer::reaped(const Trap& trap, const Call& call, const Caller& caller) {
    const auto child = HostPid(static_cast<int>(trap.arguments[1]));
    const auto report = report_at(caller.thread, trap.arguments[2], trap.arguments[3] != 0);
    if (const HostPid thread = stopped_tracee(caller, report, child); thread != HostPid::none) {
        adopt_if_new(thread, caller.space);
        Rewrite rewrite = as_made(trap, call, caller);
        rewrite.errand.emplace(look_at(
            caller, thread, *report, translator_.thread_outward(raw(thread), caller.space), do_it_yourself));
        return begin(trap, std::move(rewrite));
    }
    auto init = reaped_inits_.find(raw(child));
    if (init == reaped_inits_.end() || init->second.reaper != caller.process) {
        if (!numbers_.knows(child) && (has_ended(child) || parent_of(child) == caller.process))
            numbers_.adopt(child, caller.space, caller.process);
        const int number = translator_.thread_outward(raw(child), caller.space);
        const bool remains = nested_.is_remains(child);
        const NamespaceId ended = remains ? NamespaceId::none : nested_.ended_by(child);
        if (!nested_.goes_on(ended)) {
            numbers_.reported(child);
            listener_.answer(trap, remains ? do_it_yourself : number);
            return;
        }
        init = reaped_inits_.insert_or_assign(raw(child), ReapedInit{caller.process, ended, number}).first;
    }
    if (nested_.goes_on(init->second.space)) {
        listener_.answer(trap, -EAGAIN);
        return;
    }
    numbers_.reported(child);
    listener_.answer(trap, init->second.number);
    reaped_inits_.erase(init);
}

}  // namespace ctr::pidns
