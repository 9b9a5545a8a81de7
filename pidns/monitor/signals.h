// Sending signals: what virtual pid 1 takes, and signals to many.
//
// As the kernel's own pid namespace has it, a signal from inside reaches pid 1 only if pid 1 has a handler
// for it, or blocks it (it may be waited for); SIGKILL and SIGSTOP never do. From outside every signal acts.
#pragma once

#include <optional>

#include "pidns/monitor/numbers.h"
#include "pidns/monitor/tracer.h"

namespace ctr::pidns {

class SignalSender {
  public:
    SignalSender(Numbers& numbers, HostPid init) : numbers_(numbers), init_(init) {}

    // Adjusts a call whose numbers are translated already. A result: the call needn't be made.
    std::optional<long> prepare(Rewrite& rewrite) const;

    // One call of a broadcast ended with this result: the result of the whole, or nothing when there is a
    // next call, whose arguments are then set.
    std::optional<long> next(Rewrite& rewrite, long result) const;

  private:
    bool init_takes(int signal) const;
    std::optional<long> broadcast(Rewrite& rewrite, Broadcast targets) const;
    void find_targets(const Rewrite& rewrite, Broadcast& broadcast) const;
    void aim(Rewrite& rewrite) const;

    Numbers& numbers_;
    HostPid init_;
};

}  // namespace ctr::pidns
