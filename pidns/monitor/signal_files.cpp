// Signals that are read from a descriptor, a signalfd.
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <cstddef>
#include <utility>

#include "pidns/monitor/descriptors.h"
#include "pidns/monitor/memory.h"
#include "pidns/monitor/server.h"

namespace ctr::pidns {

namespace {

// Where the call has put what it has read.
uint64_t buffer_of(const Rewrite& rewrite, const ProcessMemory& memory) {
    if (rewrite.call->number != SYS_readv) return rewrite.original[1];
    const auto part = memory.read<iovec>(rewrite.original[1]);
    return part ? reinterpret_cast<uint64_t>(part->iov_base) : 0;
}

}  // namespace

bool CallServer::is_signalfd(const Trap& trap) {
    return descriptor_link(trap.thread, static_cast<int>(trap.arguments[0])) == "anon_inode:[signalfd]";
}

void CallServer::dequeue(const Trap& trap, const Call& call, const Caller& caller) {
    Rewrite rewrite = as_made(trap, call, caller);
    rewrite.sleeps = true;
    begin(trap, std::move(rewrite));
}

// struct signalfd_siginfo, of which there may be several.
void CallServer::translate_signals(const Rewrite& rewrite, long result) const {
    const ProcessMemory memory(rewrite.caller.thread);
    const uint64_t buffer = buffer_of(rewrite, memory);
    for (uint64_t at = 0; at + sizeof(signalfd_siginfo) <= static_cast<uint64_t>(result);
         at += sizeof(signalfd_siginfo)) {
        const uint64_t address = buffer + at;
        const auto info = memory.read<signalfd_siginfo>(address);
        if (!info) continue;
        const auto signal = static_cast<int>(info->ssi_signo);
        // Of a child's end that isn't told by SIGCHLD, the kernel takes the number for a band.
        const bool ends = ends_child(signal, info->ssi_code, static_cast<int>(info->ssi_band), 0);
        if (!ends && !has_kernel_pid(signal, info->ssi_code)) continue;
        const auto host = static_cast<int>(ends ? info->ssi_band : info->ssi_pid);
        const size_t field =
            ends ? offsetof(signalfd_siginfo, ssi_band) : offsetof(signalfd_siginfo, ssi_pid);
        memory.write(address + field, int32_t{translator_.outward(host, rewrite.caller.space)});
    }
}

}  // namespace ctr::pidns
