// Which options each verb below `ctr bench` takes.
#pragma once

#include <string>
#include <vector>

#include "cmd/option_table.h"

namespace ctr::cmd {

const std::vector<Option>& bench_options();

// What there is below `ctr bench`.
const std::vector<std::string>& bench_verbs();

// By the option's group.
bool bench_verb_takes(const std::string& verb, const Option& option);

}  // namespace ctr::cmd
