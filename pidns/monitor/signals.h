// Sending signals: what a virtual pid 1 takes, and signals to many.
//
// As the kernel's own pid namespaces have it, a signal from a process of the container reaches the init of a
// namespace only if that has a handler for it, or blocks it (it may be waited for). SIGKILL and SIGSTOP reach
// it from an outer namespace only. From outside the container every signal acts on the container's own init.
#pragma once

#include <optional>

#include "pidns/monitor/nested.h"
#include "pidns/monitor/numbers.h"
#include "pidns/monitor/tracer.h"

namespace ctr::pidns {

class SignalSender {
  public:
    SignalSender(Numbers& numbers, const NestedNamespaces& nested) : numbers_(numbers), nested_(nested) {}

    // Adjusts a call whose numbers are translated already. A result: the call needn't be made. waiting_init:
    // an init that is sent a signal only because it blocks it; should it not wait for the signal, it is to be
    // dropped.
    std::optional<long> prepare(Rewrite& rewrite, HostPid& waiting_init) const;

    // Whom a call of one target is aimed at, and where it passes a siginfo_t (0: it doesn't).
    static HostPid target_of(const Rewrite& rewrite);
    static uint64_t info_of(const Rewrite& rewrite);

    // Sends in the name of a process that can't be traced, with the kernel's rules of who may. The receiver
    // sees no sender that it knows.
    long send_for(const Rewrite& rewrite) const;

    // One call of a broadcast ended with this result: the result of the whole, or nothing when there is a
    // next call, whose arguments are then set.
    std::optional<long> next(Rewrite& rewrite, long result) const;

  private:
    bool is_init(HostPid process) const;
    bool takes(HostPid target, int signal, NamespaceId from) const;
    bool has_refusing_init(HostPid group, int signal, NamespaceId from) const;
    std::optional<long> broadcast(Rewrite& rewrite, Broadcast targets) const;
    void find_targets(const Rewrite& rewrite, Broadcast& broadcast) const;
    void aim(Rewrite& rewrite) const;

    Numbers& numbers_;
    const NestedNamespaces& nested_;
};

}  // namespace ctr::pidns
