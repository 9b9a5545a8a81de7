// The net: serves every call of the pid surface that a container's processes make without the layer's mark.
// Slow, always right, and without anything inside the process: it works for static, musl, Go and JIT code
// alike.
//
// Runs in a process of its own (runtime/supervisor), which must be single-threaded, have SIGCHLD blocked and
// be the parent of the container's init. Nothing that a program of the container does can make it wait: calls
// that sleep do so in their own thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "pidns/monitor/listener.h"
#include "pidns/monitor/nested.h"
#include "pidns/monitor/numbers.h"
#include "pidns/monitor/options.h"
#include "pidns/monitor/server.h"
#include "runtime/base/error.h"

namespace ctr::pidns {

class Monitor {
  public:
    // numbers: an empty table, made before init could run.
    static Result<std::unique_ptr<Monitor>> create(Fd listener, HostPid init, Numbers numbers,
                                                   const MonitorOptions& options);

    // Serves until init has ended: its wait status. Or until `stop` becomes readable or hangs up: nothing.
    Result<std::optional<int>> run(int stop);

    const RawPrograms& raw_programs() const { return server_->raw_programs(); }

  private:
    Monitor(Fd listener, Fd child_signals, Numbers numbers, HostPid init);

    void take_child_signals();
    bool take_status(pid_t whose, int options);
    void await_stop();
    void look_after_unfinished();
    void take_traps();

    Alarm alarm_;
    Listener listener_;
    Fd child_signals_;
    Numbers numbers_;
    std::optional<NestedNamespaces> nested_;
    std::optional<CallServer> server_;
    HostPid init_;
    std::optional<int> ended_;  // init's status
    std::chrono::steady_clock::time_point looked_after_{};
    bool alarmed_ = false;  // see await_stop
};

}  // namespace ctr::pidns
