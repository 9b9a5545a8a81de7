// The measurements of the discussions that ctr comes from, done again: their tables, with what is found here
// beside what was found then.
#pragma once

#include <string>
#include <vector>

#include "cmd/bench/io.h"
#include "cmd/bench/session.h"

namespace ctr::bench {

// A line of such a table: of a workload under one configuration, against the same without.
struct Finding {
    const char* model;     // "list multilevel"
    const char* workload;  // a built-in one
    const char* unit;
    const char* without;  // then, as it was printed; "-": not measured
    const char* with;
    const char* slowdown;
    const char* subject;  // the configuration's name here
    std::string metric;   // the figure's name
};

// One table of the sources.
struct Seed {
    const char* title;
    const char* note;  // what is to be known of it
    std::vector<Finding> findings;
    unsigned rounds;  // in full; as many as there were then, or more
};
const std::vector<Seed>& seeds();

// Everything. TREE: of a kernel (workloads.h).
Status measure_seeds(Session& session, const IoOptions& devices, bool quick, const std::string& tree,
                     const Plan& pace, bool own_rounds);

// The table: then and now.
std::string seed_table(const Seed& seed, const Report& report);

}  // namespace ctr::bench
