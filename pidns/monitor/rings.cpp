// io_uring: operations that a ring does in the program's name pass by the filter, and can't be translated.
//
// One of them is about processes, IORING_OP_WAITID. It is rather new (Linux 6.7), so who uses it asks whether
// it is there and has another way; here it isn't there. A ring can also be made to refuse operations
// (IORING_REGISTER_RESTRICTIONS), but not without harm: once only, so a program's own restrictions would
// fail; with a list of all that is allowed, which no list written today can be; and waits through a pidfd,
// which work, would fail as well. Others can lead into /proc (IORING_OP_OPENAT, STATX), and nearly never do.
#include <cstddef>
#include <cstdint>

#include "pidns/monitor/memory.h"
#include "pidns/monitor/server.h"

namespace ctr::pidns {

namespace {

// struct io_uring_probe and its io_uring_probe_op, which the headers of the oldest supported system have
// without the operation.
struct Operation {
    uint8_t number;
    uint8_t reserved;
    uint16_t flags;
    uint32_t more;
};
struct Probe {
    uint8_t last;
    uint8_t count;
    uint16_t reserved;
    uint32_t more[3];
};
constexpr uint8_t waitid = 50;     // IORING_OP_WAITID
constexpr uint16_t supported = 1;  // IO_URING_OP_SUPPORTED

}  // namespace

void CallServer::hide_waits(const Rewrite& rewrite) {
    const ProcessMemory memory(rewrite.caller.thread);
    const uint64_t address = rewrite.original[rewrite.call->writes.argument];
    const auto probe = memory.read<Probe>(address);
    const uint64_t at = address + sizeof(Probe) + waitid * sizeof(Operation);
    const auto operation = probe && probe->count > waitid ? memory.read<Operation>(at) : std::nullopt;
    if (!operation || operation->number != waitid) return;
    memory.write(at + offsetof(Operation, flags), static_cast<uint16_t>(operation->flags & ~supported));
}

}  // namespace ctr::pidns
