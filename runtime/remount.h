// Mount attributes on kernels without mount_setattr (before 5.12).
#pragma once

#include <cstdint>

namespace ctr::child {

enum class Extent {
    all,    // a mount and all that is mounted below it
    below,  // only the latter
    top,    // only the former
};

// Adds ATTRIBUTES (MOUNT_ATTR_RDONLY, NOSUID, NODEV, NOEXEC) to an attached mount, to what is mounted below
// it, or to both. Async-signal-safe. Returns nullptr, or the name of the system call that failed (with
// errno).
const char* remount_tree(int mount, uint64_t attributes, Extent extent);

}  // namespace ctr::child
