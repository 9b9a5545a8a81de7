// What this process is and may do here: read once, injected in tests.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/own_view.h"
#include "runtime/action.h"
#include "runtime/base/error.h"
#include "runtime/seccomp.h"

namespace ctr {

// A stretch of ids that exist in the current user namespace.
struct IdRange {
    uint32_t first = 0;
    uint32_t count = 0;
};

// The same, and which ids of the reader's user namespace they are.
struct IdMapping {
    uint32_t inside = 0;
    uint32_t outside = 0;
    uint32_t count = 0;
};

struct HostFacts {
    uid_t uid = 0;  // effective
    gid_t gid = 0;
    uint64_t effective = 0;  // capabilities; bit n: capability n
    uint64_t bounding = 0;
    int last_capability = 0;  // the highest that the kernel knows
    bool initial_user_namespace = false;
    bool setgroups_allowed = true;
    std::vector<IdRange> uids;  // that a process here can take on
    std::vector<IdRange> gids;
    std::optional<IdRange>
        subuids;  // that the caller may hand out; only read where they are wanted (subids.h)
    std::optional<IdRange> subgids;
    bool own_proc = true;       // /proc shows the pid namespace that this process is in
    std::string no_namespaces;  // why the caller can't make any; empty: it can, or it hasn't been tried
                                // (isolation.h)
    bool numbered = false;      // by the pid layer of an outer ctr, which will number what is started here
    bool listened = false;      // an outer program has a listener for this process's calls, which then can't
                                // have one of its own; only read where that matters
    bool fsgsbase = false;      // programs may use the instructions that read and write the FS and GS bases
    seccomp::KernelVersion kernel;
    action::WindowSize window;      // of the caller's terminal; 0 if it has none
    int landlock_abi = 0;           // 0: the kernel has none
    std::string working_directory;  // the caller's
    std::string registry;           // where this user's containers are written down, if that is there
    std::vector<std::string> env;   // "K=V", the caller's
    std::vector<cgroup::ViewPoint> cgroups;  // as they are mounted here
    bool may_change_kernel = false;  // by writing to its files in /proc and /sys, as root of the host may

    bool privileged() const;  // CAP_SYS_ADMIN: may make namespaces without a new user namespace
};

Result<HostFacts> read_host_facts();

// Tried in a child, which ends with it. An error if that doesn't say.
Status read_listened(HostFacts& facts);

// The text of /proc/PID/uid_map or gid_map.
std::vector<IdMapping> parse_id_mappings(const std::string& text);

// The ids of that namespace.
std::vector<IdRange> parse_id_map(const std::string& text);

bool contains(const std::vector<IdRange>& ranges, uint32_t id);

}  // namespace ctr
