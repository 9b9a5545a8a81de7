// How the cost grows: with the depth of nesting, with the processes that live, with the containers that run
// at once.
#pragma once

#include <string>
#include <vector>

#include "cmd/bench/session.h"

namespace ctr::bench {

struct Axis {
    const char* name;   // "depth", as --along takes it
    const char* title;  // of its table
    const char* what;   // one line
    std::vector<unsigned> quick;
    std::vector<unsigned> full;
};
const std::vector<Axis>& axes();

// One recording for each point. What this host can't have (limits on processes) is skipped, with the reason.
Status measure_along(Session& session, const Axis& axis, bool quick, const Plan& pace);

// A row for each point: time per operation, and by how much more than outside.
std::string scaling_table(const Axis& axis, const Report& report);

// The same as a plot, in HTML's SVG; empty: there is nothing to show.
std::string scaling_svg(const Axis& axis, const Report& report);

// Why so many processes can't be had at once; empty: they can.
std::string too_many_processes(unsigned long count, const std::string& root = "");

}  // namespace ctr::bench
