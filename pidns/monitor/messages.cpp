// Messages on sockets: the credentials that they carry name a process.
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "pidns/monitor/control_data.h"
#include "pidns/monitor/descriptors.h"
#include "pidns/monitor/memory.h"
#include "pidns/monitor/server.h"

namespace ctr::pidns {

namespace {

// The kernel takes no more (net.core.optmem_max of its default, rounded up).
constexpr size_t most_control = 131072;
constexpr size_t most_messages = 1024;  // UIO_MAXIOV

bool sends(long number) {
    return number == SYS_sendmsg || number == SYS_sendmmsg;
}

// Where the call's message headers are.
std::vector<uint64_t> headers_of(const Call& call, const uint64_t* arguments, size_t at_most) {
    if (call.number == SYS_sendmsg || call.number == SYS_recvmsg) return {arguments[1]};
    std::vector<uint64_t> addresses;
    const size_t count = std::min<size_t>({static_cast<uint32_t>(arguments[2]), most_messages, at_most});
    addresses.reserve(count);
    for (size_t i = 0; i < count; ++i) addresses.push_back(arguments[1] + i * sizeof(mmsghdr));
    return addresses;
}

// The addresses of the process numbers in a message's control data.
std::vector<uint64_t> numbers_in(const ProcessMemory& memory, uint64_t header) {
    const auto message = memory.read<msghdr>(header);
    if (!message || message->msg_controllen < shortest_credentials) return {};
    const auto start = reinterpret_cast<uint64_t>(message->msg_control);
    const auto control = memory.read_exactly(start, std::min(message->msg_controllen, most_control));
    if (!control) return {};
    std::vector<uint64_t> found;
    for (const size_t at : credentials_in(*control)) found.push_back(start + at);
    return found;
}

bool has_control(const msghdr& message) {
    return message.msg_control && message.msg_controllen >= shortest_credentials;
}

// Of a call with many messages. All are read at once, for there may be a thousand; nothing: the array's end
// can't be read, and the kernel may not need it.
std::optional<bool> have_control(HostPid thread, uint64_t address, size_t count) {
    std::vector<mmsghdr> messages(count);
    if (!read_bytes(thread, address, messages.data(), count * sizeof(mmsghdr))) return {};
    return std::any_of(messages.begin(), messages.end(),
                       [](const mmsghdr& message) { return has_control(message.msg_hdr); });
}

// Who hasn't asked for credentials gets none. Sockets only: to close a copy of another file may take as long
// as the workload likes, which may serve it.
bool wants_credentials(HostPid process, int fd) {
    if (!descriptor_link(process, fd).starts_with("socket:")) return false;
    const Fd socket = copy_descriptor(process, fd);
    int wanted = 0;
    socklen_t size = sizeof wanted;
    if (!socket) return !can_copy_descriptors();  // it can't be asked; credentials will show themselves
    return getsockopt(socket.get(), SOL_SOCKET, SO_PASSCRED, &wanted, &size) == 0 && wanted != 0;
}

}  // namespace

// Nearly all messages have no control data, or descriptors in it.
bool CallServer::may_carry_numbers(const Trap& trap, const Call& call) {
    const std::vector<uint64_t> headers = headers_of(call, trap.arguments, most_messages);
    if (headers.size() > 1)
        if (const auto all = have_control(trap.thread, headers.front(), headers.size())) return *all;
    return std::any_of(headers.begin(), headers.end(), [&](uint64_t header) {
        const auto message = read_value<msghdr>(trap.thread, header);
        return message && has_control(*message);
    });
}

void CallServer::message(const Trap& trap, const Call& call, const Caller& caller) {
    Rewrite rewrite = as_made(trap, call, caller);
    rewrite.sleeps = true;
    const ProcessMemory memory(trap.thread);
    if (sends(call.number)) {
        for (const uint64_t header : headers_of(call, trap.arguments, most_messages))
            for (const uint64_t address : numbers_in(memory, header)) {
                const auto number = memory.read<int32_t>(address);
                if (!number) continue;
                const int host = translator_.inward(Kind::process, caller, *number, 0);
                rewrite.patches.push_back({.address = address,
                                           .before = static_cast<uint32_t>(*number),
                                           .after = static_cast<uint32_t>(host),
                                           .size = sizeof host});
            }
        if (!listener_.valid(trap) || rewrite.patches.empty() || !apply_all(rewrite.patches, memory)) {
            listener_.pass(trap);
            return;
        }
    } else if (!wants_credentials(caller.process, static_cast<int>(trap.arguments[0]))) {
        listener_.pass(trap);
        return;
    }
    begin(trap, std::move(rewrite));
}

void CallServer::translate_messages(const Rewrite& rewrite, long result) const {
    if (sends(rewrite.call->number)) return;
    const ProcessMemory memory(rewrite.caller.thread);
    for (const uint64_t header :
         headers_of(*rewrite.call, rewrite.original.data(), static_cast<size_t>(result)))
        for (const uint64_t address : numbers_in(memory, header))
            if (const auto host = memory.read<int32_t>(address))
                memory.write(address,
                             int32_t{translator_.outward(Kind::process, *host, 0, rewrite.caller.space)});
}

}  // namespace ctr::pidns
