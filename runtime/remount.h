// Mount attributes on kernels without mount_setattr (before 5.12).
#pragma once

#include <cstdint>

namespace ctr::child {

// Adds ATTRIBUTES (MOUNT_ATTR_RDONLY, NOSUID, NODEV, NOEXEC) to an attached mount and to all that is mounted
// below it. Async-signal-safe. Returns nullptr, or the name of the system call that failed (with errno).
const char* remount_tree(int mount, uint64_t attributes);

}  // namespace ctr::child
