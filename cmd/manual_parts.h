// The parts of manual.h, by kinds of verbs.
#pragma once

#include <vector>

#include "cmd/manual.h"

namespace ctr::cmd {

Manual manual_of_run();
std::vector<Manual> manuals_of_life();       // of what acts on containers that have a name
std::vector<Manual> manuals_of_looking();    // ps, check, image
std::vector<Manual> manuals_of_measuring();  // bench
std::vector<Manual> manuals_of_help();       // completion, help, version

inline constexpr const char* usual_status = "0; 125 if ctr failed.";

}  // namespace ctr::cmd
