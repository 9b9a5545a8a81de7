// Waits: whom to wait for, and who has come. After a wait has reaped a child its number ends.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <optional>

#include "pidns/guest/children.h"
#include "pidns/guest/numbers.h"
#include "pidns/guest/serve.h"

namespace ctr::pidns::guest {

namespace {

// Whether the child that this wait has reported has ended and been reaped. A process that waits for ends
// only, and traces nobody, gets no other reports.
bool is_gone(const Frame& frame, HostPid host) {
    const uint64_t options = frame.arguments[frame.number == SYS_waitid ? 3 : 2];
    constexpr uint64_t others = WUNTRACED | WCONTINUED;  // WUNTRACED is WSTOPPED
    return (options & others) == 0 || marked(SYS_kill, static_cast<uint64_t>(raw(host)), 0) == esrch;
}

// The first process of a namespace does as well (monitor/tracer.h).
bool takes_in_orphans() {
    int subreaper = 0;
    marked(SYS_prctl, PR_GET_CHILD_SUBREAPER, reinterpret_cast<uint64_t>(&subreaper));
    return subreaper != 0;
}

// A child that isn't of the caller's namespace, that nobody knows, or that the caller traces: the monitor
// knows more. Nothing: nobody is to see it.
std::optional<int64_t> ask_about(const Frame& frame, HostPid child) {
    const bool in_siginfo = frame.number == SYS_waitid;
    const uint64_t place = frame.arguments[in_siginfo ? 2 : 1];
    for (;;) {
        const int64_t number =
            asked(SYS_prctl, layer_reaped, static_cast<uint64_t>(raw(child)), place, in_siginfo);
        if (number == do_it_yourself) return {};
        if (number == eagain) marked(SYS_sched_yield);
        if (number != eagain && number != eintr) return number < 0 ? 0 : number;
    }
}

std::optional<int64_t> reported(const Frame& frame, const Self& self, HostPid child) {
    if (self.mapping.attention().wanted(self.host, Attention::tracer)) return ask_about(frame, child);
    const int known = self.mapping.with([&](auto& model) {
        EntryId entry = model.entry_of(child);
        // It ended before its creator, another thread or what a signal handler interrupted, could register
        // it.
        if (!model.is_process(entry)) {
            // Asks the kernel: a handler that interrupted this wait may have forked, and this be the child.
            const EntryId claim = model.claim_for(child, HostPid(static_cast<int>(marked(SYS_getpid))));
            // Who takes in orphans whose creators were killed can't tell: the claim may be another child's.
            if (claim != EntryId::none && !takes_in_orphans())
                entry = register_child(self.mapping, claim, child);
        }
        if (!model.is_process(entry) || model.namespace_of(entry) != self.space) return 0;
        const VirtPid number = model.number_in(entry, self.space);
        if (is_gone(frame, child)) model.release(entry);
        return raw(number);
    });
    return known != 0 ? std::optional<int64_t>(known) : ask_about(frame, child);
}

// Whom the caller has named goes by that name, whatever has become of the entry meanwhile.
int64_t name_of(const Frame& frame, HostPid child, int64_t number) {
    const bool by_id = frame.number == SYS_waitid;
    const auto named = static_cast<int>(frame.arguments[by_id ? 1 : 0]);
    const auto host = static_cast<int>(frame.made[by_id ? 1 : 0]);
    const bool one = named > 0 && (!by_id || frame.arguments[0] == P_PID);
    return one && number != 0 && host == raw(child) ? named : number;
}

siginfo_t* info_of(const Frame& frame) {
    return reinterpret_cast<siginfo_t*>(frame.arguments[2]);
}

}  // namespace

Action wait(Frame& frame, const Row& row) {
    // Who is only looked at, and what is reported without a word to anybody, are the monitor's.
    const bool by_id = frame.number == SYS_waitid;
    if (by_id && ((frame.arguments[3] & WNOWAIT) != 0 || frame.arguments[2] == 0)) return ask(frame, row);
    const auto self = Self::find();
    if (!self || !put_hosts_numbers(frame, row, *self)) return ask(frame, row);
    frame.caller = self->host;
    return look(frame, by_id ? After::waitid : After::wait);
}

bool waited(Frame& frame) {
    if (frame.result < 0) return false;
    const auto self = Self::find_again(frame.caller);
    if (!self) return false;
    if (frame.number == SYS_wait4) {
        if (frame.result == 0) return false;
        const auto child = HostPid(static_cast<int>(frame.result));
        const auto number = reported(frame, *self, child);
        if (number) frame.result = name_of(frame, child, *number);
        return !number;
    }
    siginfo_t* info = info_of(frame);
    if (info->si_pid <= 0) return false;  // WNOHANG, and nobody has changed state
    const auto child = HostPid(info->si_pid);
    const auto number = reported(frame, *self, child);
    if (number) info->si_pid = static_cast<int>(name_of(frame, child, *number));
    return !number;
}

}  // namespace ctr::pidns::guest
