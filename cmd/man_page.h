// Man pages, in the macros of man(7).
#pragma once

#include <string>

#include "cmd/manual.h"

namespace ctr::cmd {

// ctr-VERB.1, or ctr.1 if it is the overview. VERSION: of ctr, for the footer.
std::string man_page(const Manual& manual, const std::string& version);

// The name of its file.
std::string man_page_name(const Manual& manual);

}  // namespace ctr::cmd
