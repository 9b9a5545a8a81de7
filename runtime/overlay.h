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
    // Before the container is made, which makes directories that are missing. An error if another container
    // writes to them: to the kernel that is undefined.
    static Result<OverlayClaim> make(const Plan& plan);

    // It runs: what was made stays, and is its own until the claim ends.
    Status confirm();

    OverlayClaim(OverlayClaim&&) = default;
    OverlayClaim& operator=(OverlayClaim&&) = default;
    ~OverlayClaim();

  private:
    OverlayClaim() = default;
    Status lock();

    std::string upper_;                 // empty: nothing is kept
    Fd held_;                           // that directory, locked
    std::vector<std::string> missing_;  // that weren't there
};

}  // namespace ctr
