// What `ctr ps` prints, made from a listing. Pure.
#pragma once

#include <string>
#include <vector>

#include "runtime/listing.h"

namespace ctr::cmd {

// Columns under a headline. Bytes of commands that a terminal would act on are escaped.
std::string as_table(const std::vector<ListedProcess>& processes);

// The same with each process below its parent.
std::string as_tree(const std::vector<ListedProcess>& processes);

// An array, one line for each {container, host, pids, ppid, state, comm, args}. null: in no container; not
// numbered there.
std::string as_json(const std::vector<ListedProcess>& processes);

}  // namespace ctr::cmd
