// The variables that ctr was started with, as values for the parsers.
#pragma once

#include <unistd.h>

#include <string>
#include <vector>

namespace ctr::cmd {

inline std::vector<std::string> own_environment() {
    std::vector<std::string> variables;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
        variables.emplace_back(*variable);
    return variables;
}

}  // namespace ctr::cmd
