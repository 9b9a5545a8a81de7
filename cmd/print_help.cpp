#include "cmd/print_help.h"

#include <iostream>

#include "cmd/help.h"

namespace ctr::cmd {

int print_help(const char* verb) {
    std::cout << help_text(*manual_of(verb)) << std::flush;
    return std::cout ? 0 : 125;
}

}  // namespace ctr::cmd
