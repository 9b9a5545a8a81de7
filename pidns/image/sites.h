// The system calls of an image's code that can carry a process number, and for each how it can be replaced by
// a jump, if it can.
#pragma once

#include <functional>
#include <vector>

#include "pidns/image/cancellable.h"
#include "pidns/image/instrument.h"
#include "pidns/image/window.h"

namespace ctr::pidns::image {

// A site with what is replaced.
struct Patch {
    size_t site = 0;  // its index among the sites
    Window window;
    Cancellable cancellable;  // instead of the window
};

struct Survey {
    std::vector<Site> sites;
    std::vector<Patch> patches;  // in the order of their sites
    size_t others = 0;           // system calls that carry no process number
    Address restorer = 0;        // where signal handlers return to; 0: not here
};

// Whether the code at an address may run on a stack that has no room for what isn't known to its compiler.
using SmallStacks = std::function<bool(Address)>;

Survey survey(const Flow& flow, const SmallStacks& small_stacks);

// The number that a system call surely has; dynamic_number: it may have several, or isn't known.
long constant_number(const Flow& flow, Address system_call);

}  // namespace ctr::pidns::image
