// Ctrl-C, SIGTERM and SIGHUP as a descriptor, so that a measurement can end in order: what was measured so
// far is printed. They are blocked as long as it lives, and a second one doesn't kill either.
#pragma once

#include <csignal>

#include "runtime/base/error.h"
#include "runtime/base/fd.h"

namespace ctr::bench {

class Interrupt {
  public:
    static Result<Interrupt> make();
    Interrupt(Interrupt&&) noexcept = default;
    Interrupt& operator=(Interrupt&&) = delete;

    int descriptor() const { return fd_.get(); }  // readable from the first one on
    bool happened() const;

  private:
    explicit Interrupt(Fd fd) : fd_(std::move(fd)) {}
    Fd fd_;
};

}  // namespace ctr::bench
