// What `ctr check` prints, made from an answer. Pure.
#pragma once

#include <string>

#include "runtime/check/check.h"

namespace ctr::cmd {

// A line for each item, and one for what to do about it.
std::string as_text(const check::Answer& answer);

// {works, items}; an item is {area, name, state, reason, advice}, state one of "yes", "limited", "no".
std::string as_json(const check::Answer& answer);

}  // namespace ctr::cmd
