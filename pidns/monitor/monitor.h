// The net: serves every call of the pid surface that a container's processes make without the layer's mark.
// Slow, always right, and without anything inside the process: it works for static, musl, Go and JIT code
// alike.
//
// Runs in a process of its own (runtime/supervisor), which must be single-threaded, have SIGCHLD blocked and
// be the parent of the container's init. Nothing that a program of the container does can make it wait: calls
// that sleep do so in their own thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "pidns/monitor/listener.h"
#include "pidns/monitor/numbers.h"
#include "pidns/monitor/signals.h"
#include "pidns/monitor/tracer.h"
#include "pidns/monitor/translate.h"
#include "runtime/base/error.h"

namespace ctr::pidns {

class Monitor final : private Rewriter {
  public:
    // For a person to read: a program that can't be served, and why.
    using Warn = std::function<void(const std::string&)>;

    static Result<std::unique_ptr<Monitor>> create(Fd listener, HostPid init, Warn warn);

    // Serves until init has ended: its wait status. Or until `stop` becomes readable or hangs up: nothing.
    Result<std::optional<int>> run(int stop);

  private:
    Monitor(Fd listener, Fd child_signals, Numbers numbers, HostPid init, Warn warn);

    // Events.
    void take_child_signals();
    bool take_statuses(int options);
    void await_stop();
    void stop_alarm();
    void take_trap();

    // Calls, by way of serving them.
    void serve(const Trap& trap);
    void answer(const Trap& trap, const Call& call, const Caller& caller);
    void rewrite(const Trap& trap, const Call& call, const Caller& caller);
    void create_process(const Trap& trap, const Call& call, const Caller& caller);
    void refuse_foreign(const Trap& trap);
    void begin(const Trap& trap, Rewrite rewrite);
    HostPid process_of(const Trap& trap);
    void observe_handler(const Trap& trap, const Caller& caller);
    void hold(const Trap& trap);

    // What goes through memory.
    bool put_number(const Trap& trap, Rewrite& rewrite);
    HostPid translate_siginfo(const Rewrite& rewrite);
    void translate_number(const Rewrite& rewrite);

    // Rewriter.
    void created(Rewrite& rewrite, HostPid child) override;
    std::optional<long> finished(Rewrite& rewrite, long result) override;
    void abandoned(Rewrite& rewrite) override;
    void executed(HostPid process) override;

    Listener listener_;
    Fd child_signals_;
    Numbers numbers_;
    Translator translator_;
    SignalSender sender_;
    Tracer tracer_;
    HostPid init_;
    Warn warn_;
    std::optional<int> ended_;  // init's status
    bool alarm_set_ = false;    // see await_stop
    bool alarmed_ = false;
    std::unordered_set<int> interruptible_;  // processes with handlers that lack SA_RESTART
};

}  // namespace ctr::pidns
