// Paths below a root that its owner may have filled with traps: resolved by the kernel inside of that root,
// and used only through the descriptor that came out. Everything here is async-signal-safe, returns a
// descriptor (close on exec, the caller's) or -1 with errno, and never follows a link out of the root.
#pragma once

#include <sys/types.h>

#include <string>

#include "runtime/base/error.h"

namespace ctr::path {

// openat2 with RESOLVE_IN_ROOT: ".." and absolute links end at the root's top (CVE-2021-30465: a target
// checked as a string and mounted by name is a race). RESOLVE_NO_MAGICLINKS keeps /proc/PID/fd and friends
// out.
int open_in_root(int root, const char* path, int flags);

// As open_in_root with O_PATH, but no component at all may be a link: for what must be itself, such as a file
// of procfs (CVE-2019-19921, CVE-2025-52881).
int open_exactly(int root, const char* path);

// The directory PATH below root, which is made with its parents where it is missing (CVE-2024-45310: made by
// descriptor, component by component). Paths up to 511 bytes.
int make_directory_in_root(int root, const char* path, mode_t mode);

// Likewise an empty file, which must not be there yet.
int make_file_in_root(int root, const char* path, mode_t mode);

// What a descriptor names, which may be an O_PATH one, opened anew.
int reopen(int fd, int flags);

// Where a descriptor's file is, as this process would find it. Empty: that can't be said. Not
// async-signal-safe.
std::string name_of(int fd);

// A file of procfs, such as "self/uid_map": of a real procfs, reached without crossing a mount, so that
// nothing that somebody mounted over it can catch what is written.
int open_procfs(const char* path, int flags);

// The real root of a procfs or sysfs, not a directory that bears its name.
bool is_procfs_root(int fd);
bool is_sysfs(int fd);

// A character device with these numbers: what /dev/null really is, whatever its name says (CVE-2025-31133).
bool is_character_device(int fd, unsigned major, unsigned minor);

// Whether both descriptors name the same file.
bool same_file(int one, int other);

// The whole text of a small file, as procfs has them. Not async-signal-safe.
Result<std::string> read_text(const std::string& path);

// Whether /proc shows the pid namespace that this process is in: unshare --pid without --mount-proc leaves
// one in which our numbers mean other processes.
bool procfs_is_own();

}  // namespace ctr::path
