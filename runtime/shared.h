// The namespaces of a process that runs already, for a container that is to share them.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/fd.h"
#include "runtime/facts.h"
#include "runtime/spec.h"

namespace ctr {

struct Shared {
    Fd process;             // a pidfd
    uint64_t kinds = 0;     // CLONE_NEW*: those that are shared, so that no new ones are made
    uint64_t foreign = 0;   // of them those that the caller isn't in, and which have to be joined
    bool same_pids = true;  // the caller's pid namespace is that process's too
    // Of a user namespace that is joined.
    std::vector<IdMapping> uids;
    std::vector<IdMapping> gids;
    bool setgroups_allowed = false;

    bool joins(uint64_t kind) const { return (foreign & kind) != 0; }
};

// The process is that with this number here; for the ctr that runs a container, or a container's name, it is
// the container's first.
// Nothing is shared where the spec doesn't want it.
Result<Shared> look_at_shared(const Spec& spec, const HostFacts& facts);

}  // namespace ctr
