// The write gate in the supervisor, and who sends it what it has to decide about: the monitor, or where
// nobody numbers the listeners themselves.
#pragma once

#include <functional>
#include <optional>

#include "pidns/monitor/listener.h"
#include "runtime/base/error.h"
#include "runtime/control_server.h"
#include "runtime/gate_messages.h"
#include "runtime/spec.h"
#include "runtime/write_gate.h"

namespace ctr {

class Gatekeeper {
  public:
    // Both outlive it. Without a gate it does nothing.
    Gatekeeper(std::optional<WriteGate>& gate, ControlServer& control) : gate_(gate), control_(control) {}
    Gatekeeper(const Gatekeeper&) = delete;
    Gatekeeper& operator=(const Gatekeeper&) = delete;

    // The container's first process is there, with its root file system.
    Status begin(const Spec& spec, HostPid init);

    // For the monitor (pidns::Watched).
    std::function<void(const pidns::Listener&, const pidns::Trap&)> arrival();

    // Of a filter that nobody else serves.
    Status listen(Fd listener);

    // Of whom is connected (ControlServer). An error: there is no gate to be changed.
    Result<GateAnswer> answer(const GateQuestion& question) const;

  private:
    void take(int fd);

    std::optional<WriteGate>& gate_;
    ControlServer& control_;
    pidns::Listener listener_;
};

}  // namespace ctr
