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

// What is compared here.
enum class Against {
    outside,          // numberings with no container
    kernel,           // numberings with the kernel's
    outside_in_sets,  // namespaces of one's own, and another's, with none
    limits,           // io.h
};

// One table of the sources.
struct Seed {
    const char* name;  // as --table takes it
    const char* title;
    const char* note;  // what is to be known of it
    std::vector<Finding> findings;
    unsigned rounds;  // in full; as many as there were then, or more
    Against against = Against::outside;
};
const std::vector<Seed>& seeds();

struct SeedsOptions {
    std::vector<std::string> tables;  // by their names; none: all
    IoOptions devices;
    bool quick = false;
    std::string tree;         // of a kernel (workloads.h)
    bool own_rounds = false;  // the pace says how many; else each table does

    bool wants(const Seed& seed) const;
};

// What can't run here is skipped, with the reason.
Status measure_seeds(Session& session, const SeedsOptions& options, const Plan& pace);

// What a table's workloads are measured under, the reference first. SHARER: a process whose namespaces are
// shared.
std::vector<Configuration> configurations_of(Against against, const std::string& sharer);

// The table: then and now.
std::string seed_table(const Seed& seed, const Report& report);

}  // namespace ctr::bench
