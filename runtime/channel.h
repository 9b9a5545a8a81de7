// What the supervisor and the container's first process say to each other before the command runs:
//
//   parent                                   child
//     |  clone3                                |
//     |--------------------------------------->|  waits; end of file means that the parent has died
//     |  cgroup joined                         |
//     |------------------ go ----------------->|  executes the plan's steps
//     |                                        |
//     |<---------------- failed ---------------|  at any step: which one, which call, errno, some text; then
//     it ends |                                        |
//     |<-------- terminal [master] ------------|  the outer end of the terminal that it has opened, if any
//     |<---------------- noted ----------------|  the same of what a step could do without; any number
//     |<--------- executing [listener] --------|  everything is done; the filter's listener comes along, if
//     any
//     |<---------------- failed ---------------|  the execve itself can still fail
//     |<------------- end of file -------------|  execve closed the child's end: the command runs
//
// End of file without "executing" before it: the child died. With it: the command runs, or has already ended.
//
// A SOCK_SEQPACKET pair, so that a message is whole or isn't there, and that one write from async-signal-safe
// code suffices. The type of each end has only what that side may send and receive.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/base/fd.h"
#include "runtime/base/ids.h"

namespace ctr::channel {

// Why a step failed, in the child's terms. CALL is empty where no system call failed; TEXT is what it was
// about.
struct Failure {
    uint32_t step = 0;
    int32_t error = 0;
    int32_t exit_code = 125;
    char call[32] = {};
    char text[212] = {};
};
static_assert(sizeof(Failure) == 256);

struct Event {
    enum class Kind { failed, noted, terminal, executing, closed } kind = Kind::closed;
    Failure failure;                 // failed, noted
    Fd descriptor;                   // terminal, executing
    HostPid sender = HostPid::none;  // whoever sent it, by its number here: the kernel says so
};

class ParentEnd {
  public:
    ParentEnd() = default;
    explicit ParentEnd(Fd fd) : fd_(std::move(fd)) {}
    Status go() const;
    Result<Event> receive() const;
    void close() { fd_.reset(); }

  private:
    Fd fd_;
};

// Async-signal-safe.
class ChildEnd {
  public:
    ChildEnd() = default;
    explicit ChildEnd(Fd fd) : fd_(std::move(fd)) {}
    bool wait_for_go() const;     // false: the parent is gone
    bool parent_is_gone() const;  // without waiting
    void failed(const Failure& failure) const;
    void noted(const Failure& failure) const;
    int terminal(int outer_end) const;  // 0, or -1 with errno
    int executing(int listener) const;  // -1: none. 0, or -1 with errno
    int descriptor() const { return fd_.get(); }
    void close() { fd_.reset(); }

  private:
    Fd fd_;
};

// Both ends close on exec.
Result<std::pair<ParentEnd, ChildEnd>> make();

}  // namespace ctr::channel
