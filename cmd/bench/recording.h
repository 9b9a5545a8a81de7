// What was planned and what came of it: all samples of one workload under several configurations. Values.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/bench/statistics.h"
#include "cmd/bench/workload.h"
#include "runtime/base/error.h"

namespace ctr::bench {

// A row of the table. The reference has a second instance, which shows how far apart equal things are.
struct Subject {
    std::string name;     // "flat", "host again"
    std::string details;  // how it was started, for the report; may be empty
    bool again = false;   // the second instance of the reference
};

struct Plan {
    std::string title;
    std::vector<Metric> metrics;    // in the order of a sample's values
    std::vector<Subject> subjects;  // [0] is the reference, [1] its second instance; with_again() sees to it
    unsigned rounds = 30;           // that count; 0: until time is over
    unsigned warmup = 1;            // rounds before them
    std::optional<std::chrono::seconds> time;  // also ends after the round in which this is over
    uint64_t seed = 1;                         // of the order within rounds, and of the statistics
    std::vector<std::string> shown;            // metrics of the main table; empty: all
};

// SUBJECTS, of which the first is the reference, with its second instance behind it.
std::vector<Subject> with_again(std::vector<Subject> subjects);

// One for each of the plan's metrics; without a value: it can't be told.
using Sample = std::vector<std::optional<double>>;

struct Failure {
    size_t subject = 0;
    unsigned round = 0;  // counted from the first warm-up round on
    std::string why;     // status, and the end of what it wrote to standard error
};

struct Recording {
    Plan plan;
    unsigned rounds = 0;  // that were finished, without warm-up
    // Of each subject, one for each round. An empty sample: the subject has failed by then.
    std::vector<std::vector<Sample>> samples;
    std::vector<Failure> failures;
    std::vector<std::string> notes;  // warnings that came with samples
    bool interrupted = false;
    double seconds = 0;  // that it took

    // One metric of one subject, round by round.
    Values values(size_t subject, size_t metric) const;
    const Failure* failure_of(size_t subject) const;  // null: it hasn't failed
};

}  // namespace ctr::bench
