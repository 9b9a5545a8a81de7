// The supervisor's side of the control socket (control.h), and its watch over the keeper. Nothing here waits:
// it is served between two calls of the container.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "runtime/base/error.h"
#include "runtime/base/fd.h"
#include "runtime/base/ids.h"
#include "runtime/control.h"
#include "runtime/gate_messages.h"
#include "runtime/report.h"
#include "runtime/terminal.h"

namespace ctr {

class ControlServer {
  public:
    // Starts a command in the container and returns where it will be reported (report.h) that it runs.
    using Executor = std::function<Result<Fd>(Order)>;
    // It runs, with the listener of its filter if it has one.
    using Admit = std::function<void(HostPid, Fd)>;

    // LISTENING: absent if nobody is to reach this container. KEEPER: readable when the keeper has ended.
    static Result<ControlServer> create(Fd listening, Fd keeper);

    // What the write gate answers.
    using AskGate = std::function<Result<GateAnswer>(const GateQuestion&)>;

    // From now on whoever connects is answered.
    void begin(HostPid init, HostPid command, int pidfd, Executor executor, Admit admit, AskGate ask_gate);

    // Something else that is to be served when it is readable, for as long as its descriptor is open.
    Status serve_also(int fd, std::function<void()> serve);
    void serve_no_more(int fd);

    int keeper() const { return keeper_.get(); }

    // Readable when there is something to serve. serve(): false when the keeper has ended.
    int fd() const { return events_.get(); }
    bool serve();

    // A child has ended: who ordered it is told.
    void ended(HostPid process, int status);

    // The container has ended, and with it what was executed in it.
    void over(int status);

  private:
    struct Connection {
        Fd fd;
        Fd starting;                      // where a command that was ordered is reported
        HostPid process = HostPid::none;  // that command
        bool gone = false;                // nobody waits for it any more
        bool detached = false;            // and nobody is to
        Fd terminal;                      // that who ordered the command sets meanwhile, if any
        std::optional<terminal::Modes> modes;
    };

    ControlServer(Fd events, Fd listening, Fd keeper)
        : events_(std::move(events)), listening_(std::move(listening)), keeper_(std::move(keeper)) {}
    Status watch(int fd) const;
    void accept_one();
    void take_order(Connection& connection);
    void take_start(Connection& connection);
    void end(Connection& connection);
    static void tell_end(const Connection& connection, int status);
    void close(int fd);
    void unwatch(int fd) const;

    Fd events_;  // epoll
    Fd listening_;
    Fd keeper_;
    HostPid init_ = HostPid::none;
    HostPid command_ = HostPid::none;
    int pidfd_ = -1;  // of init
    Executor executor_;
    Admit admit_;
    AskGate ask_gate_;
    std::map<int, Connection> connections_;
    std::map<int, std::function<void()>> others_;
    std::map<HostPid, int> early_;  // ended while a start was still to be reported
};

}  // namespace ctr
