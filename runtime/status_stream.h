// --status-fd: one JSON object a line, for programs that must tell the launcher's failures from the
// command's.
//
//   {"event":"started","init":4711}                  init's host pid; the command has been executed
//   {"event":"warning","message":"..."}              what works, but not as one may expect; any number of
//   them
//   {"event":"exited","status":143,"signal":15}      status as a shell would show it; signal 0: it ended by
//   itself
//   {"event":"failed","status":125,"step":"...","call":"mount","errno":1,"error":"EPERM","message":"..."}
#pragma once

#include "runtime/base/error.h"
#include "runtime/base/ids.h"
#include "runtime/exit.h"

namespace ctr {

class StatusStream {
  public:
    // fd: the caller's; -1: nobody wants to know.
    static Result<StatusStream> open(int fd);

    void warned(const std::string& text) const;
    void started(HostPid init) const;
    void exited(const Exit& exit) const;
    void failed(const Error& error) const;

  private:
    explicit StatusStream(int fd) : fd_(fd) {}
    void write_line(const std::string& json) const;

    int fd_;
};

}  // namespace ctr
