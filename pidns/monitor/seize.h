// PTRACE_SEIZE that can't sleep for ever.
//
// The kernel takes a mutex of the target process, which an exec in that process holds while it waits for the
// other threads to end; one of these may be a thread of ours that ends only when we have taken its status. A
// signal interrupts the wait, but the kernel then restarts the call whatever the handler's flags say
// (ERESTARTNOINTR). So the handler itself steps over the call.
#pragma once

#include "runtime/base/error.h"
#include "runtime/base/ids.h"

namespace ctr::pidns {

// The timer that ends waits which have no timeout of their own: that of waitpid (with EINTR) and that of
// seize.
class Alarm {
  public:
    // Takes over SIGALRM and the real-time timer of this process, which must have a single thread.
    static Status install();

    // Set once for many waits, because setting it costs; it repeats until it is stopped.
    void set();
    void stop();

  private:
    bool set_ = false;
};

// 0, or an errno: EAGAIN if the alarm came before the thread could be had.
int seize(HostPid thread, long options, Alarm& alarm);

}  // namespace ctr::pidns
