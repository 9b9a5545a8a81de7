// How a container ended.
#pragma once

#include "runtime/base/export.h"

namespace ctr {

struct Exit {
    int status = 0;  // the exit code of init, or 128 + the signal that ended it: as a shell shows it
    int signal = 0;  // that signal, or 0
};

// From the status that waitpid gives for a process that has ended.
CTR_API Exit exit_from(int wait_status);

}  // namespace ctr
