// Takes samples in turns: in each round one of each subject, in an order drawn anew. Pure but for what it is
// given: samplers, a clock and listeners are injected.
//
// A subject that fails is recorded as failed and not asked again; the others go on.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "cmd/bench/recording.h"

namespace ctr::bench {

using Clock = std::chrono::steady_clock;

// Runs a subject once. INSTANCE: which of the plan's subjects. Error: it failed, and why.
using Sampler = std::function<Result<Sample>(size_t instance)>;

struct Position {
    unsigned done = 0;     // samples, warm-up included
    unsigned planned = 0;  // 0: only a time is planned
    std::chrono::duration<double> elapsed{};
    std::optional<std::chrono::duration<double>> time;  // planned
    std::string subject;                                // whose turn it is
};

struct Surroundings {
    std::function<Clock::time_point()> now = Clock::now;
    std::function<bool()> stopped = [] { return false; };          // asked before each sample, and after it
    std::function<void(const Position&)> progress = [](auto&) {};  // told before each sample
};

Recording record(Plan plan, const Sampler& sampler, const Surroundings& surroundings = {});

}  // namespace ctr::bench
