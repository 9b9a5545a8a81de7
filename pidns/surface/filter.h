// The seccomp filter of the pid layer, generated from the surface table.
#pragma once

#include <linux/filter.h>

#include <span>
#include <vector>

namespace ctr::pidns {

// A call of the surface without the mark (mark.h) becomes a user notification; everything else passes.
// Programs of a foreign architecture (i386, x32), whose calls the table doesn't describe, become
// notifications as well, so that the monitor can end them with a clear message. What needs no look at a
// call's arguments decides without one: the kernel doesn't run the filter for such calls (from Linux 5.11
// on). A constant.
std::span<const sock_filter> filter();

// The same, with WATCHED calls, which aren't of the surface and become notifications as well, marked or not.
std::vector<sock_filter> filter_with(std::span<const long> watched);

// The same for containers that nobody numbers: only what is watched traps. What is ABSENT fails with ENOSYS,
// as on a kernel without it. Programs of a foreign architecture pass.
std::vector<sock_filter> filter_of(std::span<const long> watched, std::span<const long> absent);

}  // namespace ctr::pidns
