// The container's process 1 under --init: reaps what comes to it, passes signals on to the command, and ends
// as the command does. Async-signal-safe, as all that runs in the child (child.h): it is the launcher's child
// itself, which stays when a child of its own goes on to execute the command.
#pragma once

#include <sys/types.h>

namespace ctr {

// COMMAND: as the kernel numbers it here. END: where its status goes (command_end.h). All signals are
// blocked.
[[noreturn]] void be_init(pid_t command, int* end);

}  // namespace ctr
