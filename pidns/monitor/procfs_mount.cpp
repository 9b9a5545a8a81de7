// A procfs mounted inside: unshare --mount-proc, bwrap --proc, a container runtime.
//
// The kernel lets only those mount one who have CAP_SYS_ADMIN over the *pid* namespace, which under the layer
// is the host's. Where it refuses, the caller gets a bind mount of the procfs that it has, which shows the
// same.
#include <limits.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include <cerrno>
#include <string>

#include "pidns/monitor/memory.h"
#include "pidns/monitor/server.h"

namespace ctr::pidns {

namespace {

constexpr const char* proc = "proc";

bool makes_a_mount(uint64_t flags) {
    return (flags & (MS_BIND | MS_MOVE | MS_REMOUNT)) == 0;
}

}  // namespace

void CallServer::mount(const Trap& trap, const Call& call, const Caller& caller) {
    const bool opens = call.number == SYS_fsopen;
    const ProcessMemory memory(trap.thread);
    const auto type = read_text(trap.thread, trap.arguments[opens ? 0 : 2], 8);
    serves_files_ = serves_files_ || (type && type->starts_with("fuse"));
    // A procfs may be there afterwards.
    const auto point = opens ? std::nullopt : read_text(trap.thread, trap.arguments[1], PATH_MAX);
    if (point && (type == proc || !makes_a_mount(trap.arguments[3]))) files_.note_mount_point(*point);
    if (!listener_.valid(trap)) return;
    // A process's directory or file at another place: a namespace that is to outlive its processes.
    if (!opens && (trap.arguments[3] & MS_BIND) != 0)
        if (const auto source = files_.named(trap, call)) return follow(trap, call, caller, *source);
    if (type != proc || (!opens && !makes_a_mount(trap.arguments[3]))) {
        listener_.pass(trap);
        return;
    }
    if (opens) {
        // Callers take an old kernel's answer and fall back to mount, where we can help.
        listener_.answer(trap, -ENOSYS);
        return;
    }
    Rewrite rewrite = as_made(trap, call, caller);
    begin(trap, std::move(rewrite));
}

// As it was asked for first; refused, once more as a bind.
std::optional<long> CallServer::mounted(Rewrite& rewrite, long result) {
    const bool first = rewrite.arguments == rewrite.original;
    if (result != -EPERM || !first) {
        take_back(rewrite);
        return result;
    }
    const auto source = files_.procfs_of(rewrite.caller.thread);
    Registers registers;
    if (!source || !registers.load(rewrite.caller.thread)) return result;
    const ProcessMemory memory(rewrite.caller.thread);
    rewrite.scratch = lay_down(memory, registers.stack(), *source);
    if (!rewrite.scratch) return result;
    rewrite.arguments[0] = rewrite.scratch->address;
    rewrite.arguments[2] = 0;
    rewrite.arguments[3] = MS_BIND | MS_REC;
    rewrite.arguments[4] = 0;
    return {};
}

}  // namespace ctr::pidns
