// All signals blocked in the calling thread to the end of the scope: so that no handler of the program runs
// in a child that has its memory, and nothing but SIGKILL comes between a child and its end.
#pragma once

#include <signal.h>

namespace ctr {

class BlockedSignals {
  public:
    BlockedSignals() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;
    ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_{};
};

}  // namespace ctr
