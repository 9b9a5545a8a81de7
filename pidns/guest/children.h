// The registration of children. Freestanding.
#pragma once

#include "pidns/guest/numbers.h"

namespace ctr::pidns::guest {

// The claim's owner has made this process: its entry from now on, or the one that somebody else has
// registered it with.
EntryId register_child(const Mapping& mapping, EntryId claim, HostPid child);

}  // namespace ctr::pidns::guest
