// The keeper: the process that stands for the container towards its starter. It forks the supervisor, passes
// signals on and reports; should the supervisor be killed, it ends what is left and removes the cgroup.
#pragma once

#include <functional>
#include <optional>

#include "runtime/base/error.h"
#include "runtime/base/fd.h"
#include "runtime/report.h"
#include "runtime/spec.h"

namespace ctr {

struct KeeperOptions {
    // The keeper stands for the command: signals to it go to init, and so does its terminal's input if init
    // has a terminal of its own.
    bool foreground = false;
    int starter =
        -1;  // a descriptor that becomes readable when the starter has ended: the container ends too
    std::function<void(const Started&)> on_started;
    Notify on_notice;
};

// Runs the container to its end: the wait status of its init. Changes the calling process for good: it
// becomes a child subreaper and blocks all signals. Only from the only thread of a process.
Result<int> keep(const Spec& spec, const KeeperOptions& options);

}  // namespace ctr
