// --status-fd: one JSON object a line, for programs that must tell the launcher's failures from the
// command's.
//
//   {"event":"started","init":4711,"command":4711,"name":"web"}
//       The command has been executed. The host's numbers of init and of the command, which differ with
//       --init; neither can mean another process yet; 0: it can't be seen from here. name: if it has one.
//   {"event":"warning","message":"..."}              what works, but not as one may expect; any number of
//   them
//   {"event":"exited","status":143,"signal":15}      status as a shell would show it; signal 0: it ended by
//   itself
//   {"event":"failed","status":125,"step":"...","call":"mount","errno":1,"error":"EPERM","message":"..."}
#pragma once

#include "runtime/base/error.h"
#include "runtime/base/ids.h"
#include "runtime/exit.h"
#include "runtime/report.h"

namespace ctr {

class StatusStream {
  public:
    // fd: the caller's; -1: nobody wants to know.
    static Result<StatusStream> open(int fd);

    void warned(const std::string& text) const;
    void started(HostPid init, HostPid command, const std::string& name) const;
    void exited(const Exit& exit) const;
    void failed(const Error& error) const;

  private:
    explicit StatusStream(int fd) : fd_(fd) {}
    void write_line(const std::string& json) const;

    int fd_;
};

}  // namespace ctr
