// The net: serves every call of the pid surface that a container's processes make without the layer's mark.
// Slow, always right, and without anything inside the process: it works for static, musl, Go and JIT code
// alike.
//
// Runs in a process of its own (runtime/supervisor), which must be single-threaded, have SIGCHLD blocked and
// be the parent of the container's init. Nothing that a program of the container does can make it wait: calls
// that sleep do so in their own thread.
#pragma once

#include <poll.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
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

    // What the caller has to do meanwhile.
    struct Beside {
        int fd = -1;                              // becomes readable (or hangs up) when there is something
        std::function<bool()> serve;              // does it, without waiting. False: stop
        std::function<void(HostPid, int)> ended;  // a child of the caller, other than init, with its status
    };

    // Serves until init has ended: its wait status. Or until it is told to stop: nothing.
    Result<std::optional<int>> run(const Beside& beside);

    // A process of the container that came to be without the monitor takes the next number of the root
    // namespace.
    void adopt(HostPid process);

    // A process that the caller has put into the container, with the listener of the filter that it has; it
    // is adopted, and has no parent inside.
    void admit(HostPid process, Fd listener);

    const RawPrograms& raw_programs() const { return server_->raw_programs(); }

  private:
    Monitor(Fd listener, Fd child_signals, Numbers numbers, HostPid init);

    void take_child_signals();
    bool take_status(pid_t whose, int options);
    void await_stop();
    void look_after_unfinished();
    void take_traps(std::span<const pollfd> listeners);
    void serve(const Trap& trap);

    Alarm alarm_;
    Listener listener_;
    Fd child_signals_;
    Numbers numbers_;
    std::optional<NestedNamespaces> nested_;
    std::optional<CallServer> server_;
    Watched watched_;
    HostPid init_;
    const Beside* beside_ = nullptr;
    std::optional<int> ended_;  // init's status
    std::chrono::steady_clock::time_point looked_after_{};
    bool alarmed_ = false;  // see await_stop
};

}  // namespace ctr::pidns
