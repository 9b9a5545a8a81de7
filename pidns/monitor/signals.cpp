#include "pidns/monitor/signals.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

#include "pidns/monitor/descriptors.h"
#include "pidns/monitor/memory.h"
#include "pidns/monitor/procfs.h"

namespace ctr::pidns {

namespace {

// Processes that appear while everybody is being signalled are signalled too; a workload that makes them
// faster than this many looks can find gets away, as it could from a kill(-1) that ran a moment earlier.
constexpr int max_rounds = 16;

// SIGCANCEL of glibc, SIGTIMER of musl: no program can block it through its C library.
constexpr int internal_signal = 32;

// In which argument the call carries the signal.
unsigned signal_argument(long call) {
    return call == SYS_tgkill || call == SYS_rt_tgsigqueueinfo ? 2 : 1;
}

// Blocked, so that it may be waited for. Who blocks even the C library's own signal is the C library, for a
// moment (fork and posix_spawn do).
bool blocks(HostPid process, int signal) {
    if (signal <= 0 || signal > 64) return false;
    const auto sets = signal_sets(process);
    if (!sets) return false;
    const bool deliberate = ((sets->blocked >> (internal_signal - 1)) & 1) == 0;
    const auto has = [&](uint64_t set) { return ((set >> (signal - 1)) & 1) != 0; };
    if (has(sets->blocked)) return deliberate;
    const auto awaited = awaited_set(process);
    return awaited && has(read_value<uint64_t>(process, *awaited).value_or(0));
}

}  // namespace

// For all calls but kill's group forms; numbers are the host's already.
HostPid SignalSender::target_of(const Rewrite& rewrite) {
    const auto target = static_cast<int>(rewrite.arguments[0]);
    switch (rewrite.call->number) {
        case SYS_tkill: return process_of_thread(HostPid(target));
        case SYS_pidfd_send_signal: return process_of_pidfd(rewrite.caller.thread, target);
        default: return HostPid(target);
    }
}

uint64_t SignalSender::info_of(const Rewrite& rewrite) {
    switch (rewrite.call->number) {
        case SYS_rt_sigqueueinfo:
        case SYS_pidfd_send_signal: return rewrite.original[2];
        case SYS_rt_tgsigqueueinfo: return rewrite.original[3];
        default: return 0;
    }
}

bool SignalSender::takes(HostPid target, int signal, NamespaceId from) const {
    if (signal <= 0 || signal > 64 || !is_init(target)) return true;
    // As the kernel: by force only from where the target can't see the sender, be it above or beside.
    if (signal == SIGKILL || signal == SIGSTOP)
        return !numbers_.is_within(from, numbers_.namespace_of(target));
    const auto sets = signal_sets(target);
    return (sets && ((sets->caught >> (signal - 1)) & 1) != 0) || blocks(target, signal);
}

bool SignalSender::has_refusing_init(HostPid group, int signal, NamespaceId from) const {
    bool found = false;
    const auto look_at = [&](HostPid init) {
        found = found || (HostPid(getpgid(raw(init))) == group && !takes(init, signal, from));
    };
    if (const HostPid init = numbers_.init_of(NamespaceId::root); init != HostPid::none) look_at(init);
    nested_.each_init(look_at);
    return found;
}

std::optional<long> SignalSender::prepare(Rewrite& rewrite, HostPid& waiting_init) const {
    const unsigned at = signal_argument(rewrite.call->number);
    const auto signal = static_cast<int>(rewrite.arguments[at]);
    const auto target = static_cast<int>(rewrite.arguments[0]);
    if (rewrite.call->number != SYS_kill || target > 0) {
        const HostPid process = target_of(rewrite);
        // As the kernel for a descriptor of a process outside the namespace; it may also be a directory of
        // /proc.
        const bool by_descriptor = rewrite.call->number == SYS_pidfd_send_signal;
        const bool visible = numbers_.number_of(process, rewrite.caller.space) != VirtPid::none;
        if (by_descriptor && process != HostPid::none && !visible) return -EINVAL;
        if (is_init(process) && blocks(process, signal)) waiting_init = process;
        // Dropped by making it signal 0: the kernel still checks that there is a target and that we may
        // signal it.
        if (!takes(process, signal, rewrite.caller.space)) rewrite.arguments[at] = 0;
        return {};
    }
    if (target == std::numeric_limits<int>::min()) return {};  // no group has that number: ESRCH
    if (target == -1) return broadcast(rewrite, {.everybody = true, .signal = signal});
    const auto group = HostPid(target == 0 ? getpgid(raw(rewrite.caller.process)) : -target);
    if (!has_refusing_init(group, signal, rewrite.caller.space)) return {};
    return broadcast(rewrite, {.group = group, .signal = signal, .last = -ESRCH});
}

long SignalSender::send_for(const Rewrite& rewrite) const {
    const long call = rewrite.call->number;
    const auto signal = static_cast<int>(rewrite.arguments[signal_argument(call)]);
    const auto first = static_cast<int>(rewrite.arguments[0]);
    const HostPid target = target_of(rewrite);
    // Groups, and signals with a value, which only their sender can send.
    const bool simple = call == SYS_kill || call == SYS_tkill || call == SYS_tgkill;
    if (!simple || first <= 0) return -EPERM;
    if (numbers_.number_of(target, rewrite.caller.space) == VirtPid::none) return -ESRCH;
    if (!may_signal(rewrite.caller.thread, target)) return -EPERM;
    const int thread = call == SYS_tgkill ? static_cast<int>(rewrite.arguments[1]) : first;
    const int result = call == SYS_kill ? kill(first, signal) : tgkill(raw(target), thread, signal);
    return result == 0 ? 0 : -errno;
}

bool SignalSender::is_init(HostPid process) const {
    return numbers_.number_of(process, numbers_.namespace_of(process)) == VirtPid::init;
}

std::optional<long> SignalSender::broadcast(Rewrite& rewrite, Broadcast targets) const {
    find_targets(rewrite, targets);
    if (targets.left.empty()) return -ESRCH;
    if (targets.signal < 0 || targets.signal > 64) return -EINVAL;
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
    const Caller& caller = rewrite.caller;
    bool self = false;
    numbers_.each_process([&](HostPid process) {
        if (b.reached.contains(raw(process))) return;
        if (b.everybody) {
            const VirtPid number = numbers_.number_of(process, caller.space);
            if (number != VirtPid::none && number != VirtPid::init && process != caller.process)
                b.left.push_back(process);
        } else if (HostPid(getpgid(raw(process))) == b.group) {
            if (process == caller.process)
                self = true;
            else
                b.left.push_back(process);
        }
    });
    if (self) b.left.insert(b.left.begin(), caller.process);  // taken from the back: the sender comes last
}

void SignalSender::aim(Rewrite& rewrite) const {
    const Broadcast& b = *rewrite.broadcast;
    const HostPid target = b.left.back();
    rewrite.arguments[0] = static_cast<uint64_t>(raw(target));
    rewrite.arguments[1] =
        takes(target, b.signal, rewrite.caller.space) ? static_cast<uint64_t>(b.signal) : 0;
}

}  // namespace ctr::pidns
