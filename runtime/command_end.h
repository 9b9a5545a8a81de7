// How the command of an --init has ended: a word that init shares with its supervisor. Init's own exit status
// couldn't say it: process 1 of a pid namespace can't end by the signal that ended the command, and of 137
// nobody could tell whether it was a signal or the command's own.
#pragma once

#include <optional>

#include "pidns/monitor/mapping.h"
#include "runtime/base/error.h"

namespace ctr {

class CommandEnd {
  public:
    static Result<CommandEnd> make();

    // Init's to write: a status as from waitpid.
    int* word() const { return static_cast<int*>(memory_.get()); }

    // What it has written. Nothing: it ended before the command, or wrote what no command's end is (its
    // memory is no more to be trusted than it). Only when it has been waited for.
    std::optional<int> status() const;

  private:
    explicit CommandEnd(pidns::Mapping memory) : memory_(std::move(memory)) {}
    pidns::Mapping memory_;
};

}  // namespace ctr
