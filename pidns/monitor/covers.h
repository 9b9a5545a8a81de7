// Copies that lie over files of the container's root (bind mounts, made before the command ran), and how they
// go when a program inside replaces such a file.
//
// The kernel lets nobody rename, unlink or link what a mount covers in the caller's own mount namespace
// (EBUSY, EXDEV). A package manager that replaces a library would fail for a mount that it knows nothing of.
// So the copy is taken off, and the call made once more; what starts from then on runs the file that lies
// there, through the monitor.
//
// Only what was listed when the container was made is ever taken off, whatever a workload mounts or names.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "pidns/monitor/listener.h"
#include "pidns/monitor/options.h"
#include "pidns/surface/calls.h"
#include "runtime/base/ids.h"

namespace ctr::pidns {

class Covers {
  public:
    explicit Covers(std::vector<CoveredFile> files) : files_(std::move(files)) {}

    // The call may change a covered file: told by the last component of its path; or the kernel has refused
    // it already, and code of ours asks.
    bool may_concern(const Trap& trap, const Call& call) const;

    // Takes the copy off that a descriptor of the thread's names, in the thread's mount namespace. Returns
    // the file's name; empty: the descriptor names no such copy, or we may not. Looks at nothing that a
    // workload may serve.
    std::string take_off(HostPid thread, int fd) const;

  private:
    std::vector<CoveredFile> files_;
};

}  // namespace ctr::pidns
