// The function of musl in which a thread can be cancelled (__syscall_cp_asm). Its signal handler asks whether
// the thread stands between the function's look at the flag and the end of its system call, so the call must
// be made there, and nothing may be done between look and call. What can be done is done before the function:
// its callers go through a thunk.
#pragma once

#include <vector>

#include "pidns/image/flow.h"

namespace ctr::pidns::image {

bool is_cancellable(const Flow& flow, Address system_call);

// Returns why they can't be redirected, or nullptr.
const char* find_callers(const Flow& flow, Address system_call, std::vector<Branch>& callers);

// The function's beginning.
Address cancellable_function(Address system_call);

}  // namespace ctr::pidns::image
