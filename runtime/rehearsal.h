// What a container's first process does where no command shall be run (Spec::rehearse), so that it is known
// whether one could: it makes a child and waits for it, as nearly every command does.
#pragma once

#include "runtime/spec.h"

namespace ctr::rehearsal {

// The exit status where the kernel did as it was asked, but with numbers that the mode must not show.
inline constexpr int wrong_numbers = 255;

// Ends with 0, the errno of the call that failed, or wrong_numbers. Async-signal-safe.
using Life = int (*)();
Life life(PidMode mode);

}  // namespace ctr::rehearsal
