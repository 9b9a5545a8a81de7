// Standard input, output and error of a detached container, for its keeper: nothing to be read, and what is
// written goes into the log.
#pragma once

#include <array>
#include <optional>

#include "runtime/base/error.h"
#include "runtime/base/fd.h"
#include "runtime/log.h"
#include "runtime/spec.h"

namespace ctr {

class Recorder {
  public:
    // Puts the pipes in the place of the calling process's own output and error: what it forks from now on
    // writes to the log.
    // OWNER: who may open them anew (/dev/stderr of programs), if not the caller.
    static Result<Recorder> create(Log log, const std::optional<User>& owner);

    // In the process that reads: it writes nothing itself, so that the end of the others is the end.
    Status read_only();
    // In the others.
    void write_only();

    // Become readable when something was written; -1 once all has been.
    std::array<int, 2> readable() const { return {pipes_[0].get(), pipes_[1].get()}; }

    // Takes some of what is there, without waiting. False: there was nothing.
    bool take();
    void take_notice(const std::string& text) { log_.write(Log::ctr, text + "\n"); }

    // When all who write are gone.
    void take_rest();

  private:
    Recorder(Log log, std::array<Fd, 2> pipes, Fd null)
        : log_(std::move(log)), pipes_(std::move(pipes)), null_(std::move(null)) {}

    Log log_;
    std::array<Fd, 2> pipes_;  // output, error
    Fd null_;
};

}  // namespace ctr
