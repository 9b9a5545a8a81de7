// What the layer's own code inside workloads (pidns/guest) asks for, in calls of its own.
#include <errno.h>

#include "pidns/monitor/procfs.h"
#include "pidns/monitor/server.h"

namespace ctr::pidns {

long CallServer::answer_guest(const Trap& trap, const Caller& caller) {
    switch (static_cast<int>(trap.arguments[0])) {
        case layer_attach: return attach(trap, caller);
        case layer_reaped: return reaped(caller, HostPid(static_cast<int>(trap.arguments[1])));
        default: return 1;  // layer_question
    }
}

// Whoever has the file can write to it: that is in its contract (model/file.h).
long CallServer::attach(const Trap& trap, const Caller& caller) const {
    if (numbers_.attention().wanted(caller.process)) return -EAGAIN;
    const auto placed = listener_.place(trap, numbers_.file().get(), true);
    return placed ? *placed : -EAGAIN;
}

// The number comes from a workload. Only a child of the caller can be reported to it; one that was reaped is nobody's
// any more.
long CallServer::reaped(const Caller& caller, HostPid child) {
    const bool remains = nested_.is_remains(child);
    if (!numbers_.knows(child) && (has_ended(child) || parent_of(child) == caller.process))
        numbers_.adopt(child, caller.space);
    if (!remains && nested_.ends(child)) return -EAGAIN;
    const int number = translator_.outward(raw(child), caller.space);
    numbers_.reported(child);
    return remains ? do_it_yourself : number;
}

}  // namespace ctr::pidns
