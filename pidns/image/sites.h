// The system calls of an image's code that can carry a process number, and for each a window of instructions
// around it which can be replaced by a jump, if there is one.
#pragma once

#include <vector>

#include "pidns/image/flow.h"
#include "pidns/image/instrument.h"

namespace ctr::pidns::image {

// A site with what replaces it. Instructions before and behind the system call that lie in the window move.
struct Patch {
    size_t site = 0;  // its index among the sites
    Range window;
    std::vector<Instruction> before;
    std::vector<Instruction> after;
};

struct Survey {
    std::vector<Site> sites;
    std::vector<Patch> patches;
    size_t others = 0;     // system calls that carry no process number
    Address restorer = 0;  // where signal handlers return to; 0: not here
};

Survey survey(const Flow& flow);

// The number that a system call surely has; dynamic_number: it may have several, or isn't known.
long constant_number(const Flow& flow, Address system_call);

}  // namespace ctr::pidns::image
