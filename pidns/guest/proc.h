// The files of /proc that the guest code gives itself. Freestanding.
#pragma once

#include "pidns/guest/serve.h"
#include "pidns/surface/contents.h"

namespace ctr::pidns::guest {

struct Self;

// The kernel has made the call with this path. True: it is served, and has its result. False: the monitor
// must; what the call has opened is still open then, unless the result is an error.
bool serve_proc(Frame& frame, const Row& row, const char* path);

// In place of the host's file, which the call has opened with these flags: it is that process's, at that
// place below /proc. (contents.cpp)
bool replace_by_translation(Frame& frame, const Self& self, HostPid process, Content content,
                            std::string_view place, uint64_t flags);

}  // namespace ctr::pidns::guest
