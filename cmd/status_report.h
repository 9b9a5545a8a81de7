// --status-fd of a command line that is refused: its reader learns that too.
#pragma once

#include <string>
#include <vector>

#include "cmd/option_table.h"
#include "runtime/base/error.h"

namespace ctr::cmd {

// WORDS may not all be right. Nothing is written where no descriptor can be read from them, or none is open.
void report_refusal(const std::vector<std::string>& words, const std::vector<Option>& table,
                    const Error& error);

}  // namespace ctr::cmd
