// The running containers and their processes, as they can be seen from where the caller runs.
//
// There is no registry: a container is what hangs below a process "ctr-monitor", by the kernel's own parent
// links, which nobody can fake. The numbers come from the file that the monitor keeps
// (pidns/monitor/numbers_view.h), or, where the kernel or a layer around the caller has numbered, from NSpid
// in /proc. A process that calls itself ctr-monitor can so tell lies about its own descendants only.
//
// Inside of a container the same holds, seen from there: "here" is the container, and what it starts in
// containers of its own are those.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/ids.h"
#include "runtime/processes.h"

namespace ctr {

struct ListedProcess {
    HostPid container{};  // its first process; none: it is in no container
    Process process;

    // From the root of the container to the process's own namespace, one for each level; none: it can't be
    // seen there. Of a process in no container: from here to its own. Empty: nobody knows.
    std::vector<VirtPid> numbers;

    // In the container's root (or here). none: it is outside; nothing: it has no number there.
    std::optional<VirtPid> parent;
};

struct ListingRequest {
    bool all = false;                 // also what is in no container. Inside of a layer that is always so.
    std::vector<HostPid> containers;  // only those that these processes are in, or run; empty: all
};

struct Listing {
    std::vector<ListedProcess> processes;  // by container and number here
    std::vector<std::string> notes;        // for a person: what isn't shown, and why
};

Result<Listing> list_processes(const ListingRequest& request);

}  // namespace ctr
