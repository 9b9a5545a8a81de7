// The directories of an overlay that are kept: whose they are while a container runs, and what a start that
// came to nothing leaves of them.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/fd.h"
#include "runtime/plan.h"

namespace ctr {

class OverlayClaim {
  public:
    // Before the container is made. The directory is made if it is missing, and locked: the plan says then
    // that it is fresh. An error if another container writes to it: to the kernel that is undefined.
    static Result<OverlayClaim> make(Plan& plan);

    // It runs: what was made stays, and is its own until the claim ends.
    Status confirm();

    OverlayClaim(OverlayClaim&&) = default;
    OverlayClaim& operator=(OverlayClaim&&) = default;
    ~OverlayClaim();

  private:
    OverlayClaim() = default;
    Status lock();

    std::string upper_;              // empty: nothing is kept
    Fd held_;                        // that directory, locked
    std::vector<std::string> made_;  // that weren't there before this claim
};

}  // namespace ctr
