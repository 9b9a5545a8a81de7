// A signal to many processes, which the kernel would send with one call: kill(-1, ...), or a group that
// virtual pid 1 is in. The kernel's own -1 means the host, and it knows nothing of a pid 1 that signals can't
// reach; so the sender makes one call for each target instead.
#pragma once

#include <unordered_set>
#include <vector>

#include "runtime/base/ids.h"

namespace ctr::pidns {

struct Broadcast {
    bool everybody = false;  // kill(-1): else the members of group
    HostPid group = HostPid::none;
    int signal = 0;
    std::vector<HostPid> left{};        // still to be signalled; the call being made is the last one
    std::unordered_set<int> reached{};  // done, so that a second look only finds newcomers
    int rounds = 0;
    bool any_success = false;  // group: one success is enough
    long last = 0;             // the last result that counts
};

}  // namespace ctr::pidns
