// The seccomp filter of the pid layer, generated from the surface table.
#pragma once

#include <linux/filter.h>

#include <span>

namespace ctr::pidns {

// A call of the surface without the mark (mark.h) becomes a user notification; everything else passes.
// Programs of a foreign architecture (i386, x32), whose calls the table doesn't describe, become
// notifications as well, so that the monitor can end them with a clear message. What needs no look at a
// call's arguments decides without one: the kernel doesn't run the filter for such calls (from Linux 5.11
// on). A constant.
std::span<const sock_filter> filter();

}  // namespace ctr::pidns
