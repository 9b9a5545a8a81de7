// Tries (runtime/attempt.h) as a launch with default options would, and what to say of them.
#pragma once

#include <string>
#include <vector>

#include "runtime/attempt.h"
#include "runtime/check/check.h"
#include "runtime/facts.h"
#include "runtime/idmap.h"

namespace ctr::check {

// Who asks, and what a launch with default options would be for them.
struct Situation {
    HostFacts facts;
    Spec spec;  // default options, and the root that is asked for
    idmap::Identity identity;
};

// Whether the numbers in /proc are those that processes have here.
bool numbers_agree(const HostFacts& facts);

// Executes the steps in a mount namespace and these ones, with all capabilities there that a launch would
// have.
Status attempt_inside(const Situation& situation, uint64_t namespaces, std::vector<Step> steps);

// A call; what it is, in words.
Status attempt_call(const char* what, const char* (*call)());

// "clone3: EPERM: why", without the words that say what was tried.
std::string reason_of(const Error& error);

// Yes with REASON, or no with the error's.
struct Finding {
    State state = State::no;
    std::string reason;
    std::string advice;
};
Finding finding(const Status& status, const std::string& reason, const std::string& advice);

}  // namespace ctr::check
