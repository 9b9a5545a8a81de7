// The keeper as a program of its own, for programs that start containers and go on. A fork of such a program
// would run on with whatever its other threads held at that moment (locks of an allocator, of the C library),
// and with a copy of all its memory. So the library carries this program as data and executes it: from a
// sealed file in memory, which has no name and which nobody can write to (CVE-2019-5736).
//
// Between its creation and its execution the child makes a few system calls and nothing else; meanwhile the
// calling thread stands still, as with vfork. The others go on.
#pragma once

#include "runtime/base/error.h"
#include "runtime/base/fd.h"
#include "runtime/keeper_order.h"

namespace ctr {

// Its arguments: REPORTS ORDER -- COMMAND...
//   REPORTS  the number of a descriptor: what happens to the container is told there (report.h)
//   ORDER    likewise: a file with an encoded KeeperOrder (keeper_order.h)
//   COMMAND  the container's, for whoever looks at the list of processes
inline constexpr const char* keeper_name = "ctr-keeper";

// A pidfd of a child that has been executed. It has REPORTS, the order's status_fd and the standard
// descriptors, and no others of this process. Told to go with nobody, it ends at once, and goes on as its
// orphan.
Result<Fd> execute_keeper(KeeperOrder order, const Fd& reports);

}  // namespace ctr
