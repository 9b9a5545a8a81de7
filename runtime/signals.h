// Signals that are sent to ctr and meant for the command that it stands for.
#pragma once

#include <csignal>

#include "runtime/base/error.h"
#include "runtime/base/fd.h"

namespace ctr::signals {

// All of them but those that the caller has made this process ignore (nohup): these are not for the command
// either. Those that stop a process aren't among them: they act on ctr itself, as a shell expects.
sigset_t forwarded();

// Readable (signalfd, without waiting) when one of these has arrived. The caller has to block them.
Result<Fd> receive(const sigset_t& taken);

}  // namespace ctr::signals
