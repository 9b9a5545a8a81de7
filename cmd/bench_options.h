// Which options each verb below `ctr bench` takes.
#pragma once

#include <string>
#include <vector>

#include "cmd/option_table.h"

namespace ctr::cmd {

const std::vector<Option>& bench_options();

// By the option's group.
bool bench_verb_takes(const std::string& verb, const Option& option);

}  // namespace ctr::cmd
