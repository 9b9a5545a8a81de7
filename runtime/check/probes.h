// The tables of what is looked at, but for cgroups (groups.h), images (images.h) and whole launches
// (modes.h).
#pragma once

#include <span>
#include <vector>

#include "runtime/check/attempt.h"

namespace ctr::check {

// Each of its own and, where it can't be had so, in a user namespace; then those that a launch makes,
// together.
std::vector<Item> check_namespaces(const Situation& situation);

struct Probe {
    const char* area;
    const char* name;
    Finding (*look)(const Situation& situation);
};
std::span<const Probe> probes();

}  // namespace ctr::check
