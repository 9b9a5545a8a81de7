// Descriptors of other processes: what the host's /proc says about one, and copies of them.
//
// A number says nothing of what it will stand for a moment later: the process's threads, and all who share
// its table, may exchange it. Whoever needs to know asks about the copy.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "runtime/base/fd.h"
#include "runtime/base/ids.h"

namespace ctr::pidns {

// "/proc/4711/fd/3", and what that link says: a path, or "socket:[1234]" and its like. Empty: there is none,
// or it can't be read.
std::string descriptor_path(HostPid owner, int fd);
std::string descriptor_link(HostPid owner, int fd);

// The file itself, as O_PATH opens it. Empty as above.
Fd descriptor_place(HostPid owner, int fd);

// The same open file as the other process's. To close it may take as long as the workload likes, where that
// serves the file. EPERM or ENOSYS may mean that there are no copies here at all: the filters of outer
// containers often refuse them.
Fd copy_descriptor(HostPid owner, int fd);
bool can_copy_descriptors();

// The file that the other process has open, where there are no copies: opened anew, so with a position of its
// own. Only of file systems that the kernel serves by itself, where that keeps nobody waiting.
Fd open_again(HostPid owner, int fd);

// The one or the other, for those to whom the position doesn't matter.
Fd copy_or_open_again(HostPid owner, int fd);

// How it was opened. Zeroes: there is none.
struct OpenedAs {
    int mount = 0;       // as in mountinfo
    uint64_t flags = 0;  // of open(), O_*
};
OpenedAs opened_as(HostPid owner, int fd);

// Where the next read would begin.
off_t position_of(HostPid owner, int fd);

// The process that a descriptor stands for: a pidfd, or a directory of /proc. none if it's neither or the
// process was reaped.
HostPid process_of_pidfd(HostPid owner, int fd);

}  // namespace ctr::pidns
