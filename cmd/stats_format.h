// What containers use, for people and for programs. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/stats.h"

namespace ctr::cmd {

struct Reading {
    Stats stats;
    double cpu_percent = 0;  // of one processor, since the reading before
};

std::string as_table(const std::vector<Reading>& readings);

// An array with an object for each; PRETTY: on several lines.
std::string as_json(const std::vector<Reading>& readings, bool pretty);

// "1.5MiB": at most four digits.
std::string rounded_bytes(uint64_t bytes);

}  // namespace ctr::cmd
