// The verbs below `ctr bench`. What each takes is in its options' groups (cmd/bench_options.h); each returns
// the exit code.
#pragma once

#include "cmd/bench/call.h"
#include "runtime/base/error.h"

namespace ctr::bench {

Result<int> run_verb(const Call& call);
Result<int> compare_verb(const Call& call);
Result<int> io_verb(const Call& call);
Result<int> seeds_verb(const Call& call);
Result<int> scaling_verb(const Call& call);
Result<int> list_verb(const Call& call);

}  // namespace ctr::bench
