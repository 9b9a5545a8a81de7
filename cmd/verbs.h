// One function for each verb of the command line. Each prints what it has to say and returns the exit code.
#pragma once

#include <string>
#include <vector>

namespace ctr::cmd {

// ARGUMENTS: what follows the verb.
int run_verb(const std::vector<std::string>& arguments);
int ps_verb(const std::vector<std::string>& arguments);
int check_verb(const std::vector<std::string>& arguments);
int image_verb(const std::vector<std::string>& arguments);

}  // namespace ctr::cmd
