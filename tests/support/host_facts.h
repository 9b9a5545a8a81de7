// Facts about a host as plans need them, without looking at one.
#pragma once

#include "runtime/caps.h"
#include "runtime/facts.h"

namespace ctr::test {

// Root of the initial user namespace, with everything that a kernel can have.
inline HostFacts root_facts() {
    HostFacts facts;
    facts.last_capability = CAP_CHECKPOINT_RESTORE;
    facts.effective = facts.bounding = caps::bit(facts.last_capability + 1) - 1;
    facts.initial_user_namespace = true;
    facts.uids = facts.gids = {{0, UINT32_MAX}};
    facts.landlock_abi = 7;
    facts.working_directory = "/home/somebody";
    facts.env = {"PATH=/opt/bin:/bin", "HOME=/home/somebody", "TERM=vt100", "LANG=C"};
    return facts;
}

}  // namespace ctr::test
