// What the actions on mounts have in common: mounts that are made detached and then put onto a target, by
// descriptor only. Async-signal-safe: see child.h.
#pragma once

#include <sys/mount.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/fd.h"
#include "runtime/base/sys.h"
#include "runtime/child.h"
#include "runtime/remount.h"

namespace ctr::child {

// Of what a descriptor names: alone, or with all that is mounted below it. Absent: errno says why.
Fd clone_mount(int fd);
Fd clone_tree(int fd);

// Puts a detached tree onto a target, with MOUNT_ATTR_* added to all mounts of the tree. Where the kernel
// can't do that to a detached tree (before 5.12), it is done right afterwards: nobody else is in this
// namespace yet.
Fault attach(const Fd& tree, const Fd& target, uint64_t attributes, const char* text);

// Makes mounts that are attached already read-only.
Fault make_read_only(const Fd& mount, Extent extent, const char* text);

using FileSystemOptions = std::vector<std::pair<std::string, std::string>>;

// fsopen, with a value for each option or "" for a flag. Absent: FAULT says why.
Fd open_context(const char* type, const FileSystemOptions* options, Fault& fault);

// The detached new file system of a context.
Fault make_mount(const Fd& context, const char* type, uint64_t attributes, Fd& mount);

Fault make_file_system(const char* type, const FileSystemOptions* options, uint64_t attributes, Fd& mount);

// In a chroot whose root is no mount point, neither can the root be exchanged nor can its mount be told what
// to share. Who enters a mount namespace, be it the own one, stands in the namespace's own root.
bool enter_namespaces_root();

}  // namespace ctr::child
