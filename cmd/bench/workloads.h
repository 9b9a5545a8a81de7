// The workloads that come with ctr: a table.
#pragma once

#include <string>
#include <vector>

#include "cmd/bench/workload.h"

namespace ctr::bench {

struct BuiltIn {
    const char* name;
    const char* what;
    const char* source;  // the test whose kind it is
};
const std::vector<BuiltIn>& built_in_workloads();

// QUICK: a smaller size. TREE: of a kernel, for those that build one; "": the one in /usr/src, or, for a
// quick one, a small program in its place. Error: there is none of that name, or what it needs isn't
// installed (says what to install).
Result<Workload> make_workload(const std::string& name, bool quick, const std::string& tree = {});

}  // namespace ctr::bench
