// What is known of a thread that a program of the container traces, or is about to trace (debugging.cpp).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "pidns/monitor/tracer.h"

namespace ctr::pidns {

struct Tracee {
    using Clock = std::chrono::steady_clock;

    Clock::time_point expected{};      // until then: somebody is about to trace it, or to make it stop
    bool to_stop = false;              // its tracer has asked for a stop that it hasn't heard of
    bool hidden = false;               // its stops at calls are ours only
    bool own = false;                  // it makes a call of the layer's code, which nobody is to see
    bool entered = false;              // it stands before a call
    bool in_call = false;              // it was let into one, whose end its tracer hasn't heard of
    int event = 0;                     // PTRACE_EVENT_* that it stands at
    long number = 0;                   // of the call that it makes
    uint64_t options = 0;              // PTRACE_O_* that its tracer has set
    std::optional<Rewrite> pending{};  // the call that it makes with the host's numbers

    bool waits_for_tracer() const { return expected != Clock::time_point{} && Clock::now() < expected; }
};

}  // namespace ctr::pidns
