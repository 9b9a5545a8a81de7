// A line about what takes long, on standard error if that is a terminal; it is gone when the waiting is over.
#pragma once

#include <chrono>
#include <string>
#include <thread>

namespace ctr::cmd {

class Progress {
  public:
    // From one second on it shows WHAT and how much of PATIENCE is left.
    Progress(std::string what, std::chrono::seconds patience);

  private:
    std::jthread thread_;  // the waiting itself is done in a call that knows nothing of it
};

}  // namespace ctr::cmd
