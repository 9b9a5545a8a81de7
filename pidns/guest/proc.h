// The files of /proc that the guest code gives itself. Freestanding.
#pragma once

#include <sys/syscall.h>

#include <optional>

#include "pidns/guest/serve.h"
#include "pidns/surface/contents.h"

namespace ctr::pidns::guest {

struct Self;

// The path's text lies beside the frame, as that of most programs does that put it together: it can be read
// without asking the kernel, and needn't be tried as it is. Nothing: it doesn't, or means something else.
std::optional<Action> serve_proc_at_once(Frame& frame, const Row& row, const char* path);

// The kernel has made the call with this path. True: it is served, and has its result. False: the monitor
// must; what the call has opened is still open then, unless the result is an error.
bool serve_proc(Frame& frame, const Row& row, const char* path);

// The call has been about a file without a link (description.cpp). True: it was such a translation, and is
// described as the file that it stands for.
bool describe_as_proc(const Frame& frame);

// Closes what the call has opened.
void give_up(Frame& frame);

constexpr bool opens(uint64_t number) {
    return number == SYS_open || number == SYS_openat;
}

// In place of the host's file, which the call has opened with these flags: it is that process's, at that
// place below /proc. (contents.cpp)
bool replace_by_translation(Frame& frame, const Self& self, HostPid process, Content content,
                            std::string_view place, uint64_t flags);

}  // namespace ctr::pidns::guest
