// What `ctr image` prints, made from what was found. Pure.
#pragma once

#include <string>

#include "pidns/image/instrument.h"

namespace ctr::cmd {

// A summary, and a line for each site.
std::string as_text(const pidns::image::Findings& findings);

// One object: {patched, left, others, sites}; a site is {address, call, number, entry, patched, why}. null:
// its number isn't always the same; it wasn't left.
std::string as_json(const pidns::image::Findings& findings);

}  // namespace ctr::cmd
