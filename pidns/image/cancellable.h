// The functions of C libraries in which a thread can be cancelled: musl's __syscall_cp_asm, and that of glibc
// from 2.41 on,
// __syscall_cancel_arch. Their signal handlers ask whether the thread stands between the function's look at
// the flag and the end of its system call, so the call must be made there, and nothing may be done between
// look and call. All else is done around the function: its callers reach the guest, which calls it.
#pragma once

#include <vector>

#include "pidns/image/flow.h"

namespace ctr::pidns::image {

struct Cancellable {
    Address function = 0;         // 0: the system call isn't in such a function
    std::vector<Branch> callers;  // that can be redirected
    const char* why = nullptr;    // they can't
};

Cancellable find_cancellable(const Flow& flow, Address system_call);

}  // namespace ctr::pidns::image
