// What several recordings say together, or a recording in another layout: a text for eyes, made from a
// report.
#pragma once

#include <string>

#include "cmd/bench/report.h"

namespace ctr::bench {

// The one with this title; null: there is none.
const Recording* find_recording(const Report& report, const std::string& title);

// By name; nothing: there is no such.
std::optional<size_t> find_subject(const Recording& recording, const std::string& name);
std::optional<size_t> find_metric(const Recording& recording, const std::string& name);

// A row for each subject: min, avg, max, sdev, spread, and by how much more than the reference it is. The
// source of this layout is the overhead test of io-throttle.
std::string spread_table(const Recording& recording, size_t metric);

}  // namespace ctr::bench
