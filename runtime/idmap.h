// User and group ids of the container: which it shall have, whether that needs a user namespace of its own,
// and how that one is mapped. Pure.
#pragma once

#include <sys/types.h>

#include <vector>

#include "runtime/action.h"
#include "runtime/base/error.h"
#include "runtime/facts.h"
#include "runtime/shared.h"
#include "runtime/spec.h"

namespace ctr::idmap {

struct Identity {
    uid_t uid = 0;  // inside
    gid_t gid = 0;
    bool new_user_namespace = false;
    bool joined_user_namespace = false;
    bool change = false;  // the child must take the ids on (a new namespace's map gives them to it by itself)
    bool clear_groups = false;
    std::vector<IdMapping> uids{};  // of a new namespace with more than one id: for subids::write
    std::vector<IdMapping> gids{};

    // Whoever comes into one has all capabilities there.
    bool other_user_namespace() const { return new_user_namespace || joined_user_namespace; }
};

// A new user namespace is made where it is asked for, where the caller can't do without, and where it alone
// can give the ids that were asked for (a caller in a namespace that maps only one). Ids that can't be had
// are errors.
Result<Identity> choose(const Spec& spec, const HostFacts& facts);

// In a user namespace that is joined: the ids that were asked for; else what the caller's own are there, or,
// where they are none, the first that there are.
Result<Identity> choose_shared(const Spec& spec, const HostFacts& facts, const Shared& shared);

// Of a new namespace with one id: maps that one inside to the caller's own outside. A child of the caller may
// write that without privilege, if it gives up setgroups first: else a process could leave a group that is
// there to keep it out (CVE-2014-8989).
std::vector<Step> map_steps(const Identity& identity, const HostFacts& facts);

}  // namespace ctr::idmap
