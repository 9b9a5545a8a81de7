// Calls about all processes of a user. Those of the host may be the same user's: the kernel leaves out who
// isn't in the caller's pid namespace, which under the layer is the host's. So the thread makes one call for
// each of the user's threads that it can see.
#include <sys/resource.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "pidns/monitor/procfs.h"
#include "pidns/monitor/server.h"

namespace ctr::pidns {

namespace {

constexpr uint64_t io_who_process = 1;  // include/uapi/linux/ioprio.h

bool is_about_io(long call) {
    return call == SYS_ioprio_get || call == SYS_ioprio_set;
}

}  // namespace

void CallServer::make_for_user(const Trap& trap, const Call& call, const Caller& caller) {
    const auto named = static_cast<unsigned>(trap.arguments[1]);
    const auto user = named == 0 && !is_about_io(call.number) ? user_of(caller.thread)
                                                              : user_meant_by(caller.thread, named);
    std::vector<HostPid> threads;
    numbers_.each_process([&](HostPid process) {
        if (!user || numbers_.number_of(process, caller.space) == VirtPid::none ||
            nested_.is_remains(process))
            return;
        for (const HostPid thread : threads_of(process))
            if (user_of(thread) == user) threads.push_back(thread);
    });
    Rewrite rewrite = as_made(trap, call, caller);
    rewrite.errand.emplace(each_of_user(std::move(threads), call.number, rewrite.original));
    begin(trap, std::move(rewrite));
}

// As the loops of kernel/sys.c and block/ioprio.c put their results together.
Errand CallServer::each_of_user(std::vector<HostPid> threads, long call, Registers::Arguments arguments) {
    if (threads.empty()) threads.push_back(HostPid(nobody));  // the kernel looks at the other arguments first
    arguments[0] = is_about_io(call) ? io_who_process : uint64_t{PRIO_PROCESS};
    long seen = -ESRCH;
    for (const HostPid thread : threads) {
        arguments[1] = static_cast<uint64_t>(raw(thread));
        const Made one{call, arguments};
        const long result = co_await one;
        if (result == -ESRCH) continue;  // it has ended meanwhile
        switch (call) {
            case SYS_getpriority: seen = std::max(seen, result); break;
            case SYS_setpriority: seen = result != 0 || seen == -ESRCH ? result : seen; break;
            case SYS_ioprio_get:
                if (result >= 0) seen = seen < 0 ? result : std::min(seen, result);
                break;
            default:
                if (result != 0) co_return result;
                seen = 0;
        }
    }
    co_return seen;
}

}  // namespace ctr::pidns
