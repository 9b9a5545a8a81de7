#include "pidns/monitor/signals.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "pidns/monitor/procfs.h"

namespace ctr::pidns {

namespace {

// Processes that appear while everybody is being signalled are signalled too; a workload that makes them
// faster than this many looks can find gets away, as it could from a kill(-1) that ran a moment earlier.
constexpr int max_rounds = 16;

// In which argument the call carries the signal.
unsigned signal_argument(long call) {
    return call == SYS_tgkill || call == SYS_rt_tgsigqueueinfo ? 2 : 1;
}

// For all calls but kill's group forms; numbers are the host's already.
HostPid process_aimed_at(const Rewrite& rewrite) {
    const auto target = static_cast<int>(rewrite.arguments[0]);
    switch (rewrite.call->number) {
        case SYS_tkill:
            return process_of_thread(HostPid(target));
        case SYS_pidfd_send_signal:
            return process_of_pidfd(rewrite.caller.thread, target);
        default:
            return HostPid(target);
    }
}

}  // namespace

bool SignalSender::init_takes(int signal) const {
    if (signal == 0) return true;
    if (signal == SIGKILL || signal == SIGSTOP || signal < 0 || signal > 64) return false;
    const auto sets = signal_sets(init_);
    return sets && (((sets->caught | sets->blocked) >> (signal - 1)) & 1) != 0;
}

std::optional<long> SignalSender::prepare(Rewrite& rewrite) const {
    const unsigned at = signal_argument(rewrite.call->number);
    const auto signal = static_cast<int>(rewrite.arguments[at]);
    const auto target = static_cast<int>(rewrite.arguments[0]);
    if (rewrite.call->number != SYS_kill || target > 0) {
        const HostPid process = process_aimed_at(rewrite);
        // Dropped by making it signal 0: the kernel still checks that there is a target and that we may
        // signal it.
        if (process == init_ && signal > 0 && signal <= 64 && !init_takes(signal)) rewrite.arguments[at] = 0;
        return {};
    }
    if (target == -1) return broadcast(rewrite, {.everybody = true, .signal = signal});
    const auto group = HostPid(target == 0 ? getpgid(raw(rewrite.caller.process)) : -target);
    if (group != HostPid(getpgid(raw(init_))) || init_takes(signal)) return {};
    return broadcast(rewrite, {.group = group, .signal = signal, .last = -ESRCH});
}

std::optional<long> SignalSender::broadcast(Rewrite& rewrite, Broadcast targets) const {
    if (targets.signal < 0 || targets.signal > 64) return -EINVAL;
    find_targets(rewrite, targets);
    if (targets.left.empty()) {
        if (targets.everybody) return -ESRCH;
        targets.signal = 0;  // a group of pid 1 alone: checked, and dropped
        targets.left.push_back(init_);
    }
    rewrite.broadcast = std::make_unique<Broadcast>(std::move(targets));
    aim(rewrite);
    return {};
}

std::optional<long> SignalSender::next(Rewrite& rewrite, long result) const {
    Broadcast& b = *rewrite.broadcast;
    b.reached.insert(raw(b.left.back()));
    b.left.pop_back();
    // A target that ended in between is none; kill(-1) doesn't mind those that it may not signal.
    if (result != -ESRCH && !(b.everybody && result == -EPERM)) b.last = result;
    b.any_success |= result == 0;
    if (b.left.empty() && b.signal != 0 && ++b.rounds < max_rounds) find_targets(rewrite, b);
    if (!b.left.empty()) {
        aim(rewrite);
        return {};
    }
    // As kill_something_info() and __kill_pgrp_info() of kernel/signal.c.
    return !b.everybody && b.any_success ? 0 : b.last;
}

void SignalSender::find_targets(const Rewrite& rewrite, Broadcast& b) const {
    const bool self_last = !b.everybody;
    bool self = false;
    numbers_.each_process([&](HostPid process) {
        if (process == init_ || b.reached.contains(raw(process))) return;
        if (!b.everybody && HostPid(getpgid(raw(process))) != b.group) return;
        if (process != rewrite.caller.process) return b.left.push_back(process);
        self = self_last;
    });
    if (self) b.left.insert(b.left.begin(), rewrite.caller.process);
}

void SignalSender::aim(Rewrite& rewrite) const {
    rewrite.arguments[0] = static_cast<uint64_t>(raw(rewrite.broadcast->left.back()));
    rewrite.arguments[1] = static_cast<uint64_t>(rewrite.broadcast->signal);
}

}  // namespace ctr::pidns
