// What this host allows the caller, found by trying it: `ctr check`. Everything is tried by the launcher's
// own steps in children that end at once (runtime/attempt.h), and its errors are explained by the launcher's
// own table (runtime/explain.h), so that a check and a launch say the same.
//
// Nothing is left behind but the cache of instrumented copies, which is filled as a launch fills it: children
// die with the caller, and groups are removed by whoever is left (groups.h).
#pragma once

#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/export.h"

namespace ctr::check {

enum class State {
    no,
    limited,  // there, but not in full or not as one may expect
    yes,
};

// One line.
struct Item {
    std::string area;
    std::string name;
    State state = State::no;
    std::string reason;  // what was found
    std::string advice;  // what to do about it, or what ctr does instead; may be empty
};

struct Request {
    std::string rootfs;  // of the containers that are to run; empty: the host's
    std::vector<std::string>
        files;  // programs and libraries whose fast path is asked for; inside of that root
};

struct Answer {
    std::vector<Item> items;
    bool works = false;  // `ctr run` with its defaults, and this root
};

// From any thread of a program, whose allocator must be one that can be used after a fork (glibc's, jemalloc
// and tcmalloc are); signals to it wait for some milliseconds at a time.
CTR_API Result<Answer> check(const Request& request);

}  // namespace ctr::check
