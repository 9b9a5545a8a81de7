// Where no namespaces can be made: locked-down hosts and outer containers refuse them to ordinary users, or
// let them be made but nothing be mounted in them. What was asked for by name is an error there. A container
// of which nothing was asked that takes namespaces does without them: it has its numbers, Landlock's scopes
// and its teardown, and shares the rest with the host, which is said.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/facts.h"
#include "runtime/spec.h"

namespace ctr {
struct Plan;
}

namespace ctr::isolation {

// CLONE_NEW*: what a launch makes in one call, beside a user and a pid namespace.
uint64_t wanted(const Spec& spec);

// Whether a container as it is asked for could do without, and its starter might have to.
bool is_dispensable(const Spec& spec, const HostFacts& facts);

// Whether a launch failed for want of namespaces, or of the right to mount in them, and the fact that is to
// be known then.
bool is_refusal(const Error& error, const Plan& plan);
std::string reason(const Error& error);

// For those who don't launch: tries it as a launch does, where it may fail, and fills in the fact.
void look(const Spec& spec, HostFacts& facts);

// What a container without namespaces shares with the host, what it has in their place, and why.
std::string remark(const Spec& spec, const HostFacts& facts);

}  // namespace ctr::isolation
