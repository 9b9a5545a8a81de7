// Messages on sockets that carry credentials.
#include <sys/socket.h>

#include "pidns/guest/numbers.h"
#include "pidns/guest/serve.h"

namespace ctr::pidns::guest {

namespace {

const msghdr* header_of(const Frame& frame) {
    return reinterpret_cast<const msghdr*>(frame.arguments[1]);
}

bool has_control(const Frame& frame) {
    return header_of(frame)->msg_control != nullptr && header_of(frame)->msg_controllen != 0;
}

}  // namespace

Action message(Frame& frame, const Row& row) {
    const uint64_t place = frame.arguments[1];
    const bool single = frame.number == SYS_sendmsg || frame.number == SYS_recvmsg;
    if (!single || !is_readable(frame.stack(), place, sizeof(msghdr))) return ask(frame, row);
    if (!has_control(frame)) return pass(frame);
    if (frame.number == SYS_sendmsg || !Self::find()) return ask(frame, row);
    frame.made[5] = mark;
    return look(frame, After::message);
}

bool received(Frame& frame) {
    if (frame.result < 0 || !has_control(frame)) return false;
    const auto self = Self::find_again();
    auto* header = const_cast<msghdr*>(header_of(frame));
    constexpr size_t head = sizeof(cmsghdr);
    auto* at = static_cast<char*>(header->msg_control);
    for (size_t left = header->msg_controllen; self && left >= head;) {
        const auto* part = reinterpret_cast<const cmsghdr*>(at);
        if (part->cmsg_len < head || part->cmsg_len > left) return false;
        // Of one that was cut off the number, which comes first, may be there.
        const bool has_number = part->cmsg_len >= head + sizeof(pid_t);
        if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_CREDENTIALS && has_number) {
            auto* number = reinterpret_cast<pid_t*>(at + head);
            if (*number > 0) *number = self->outward(*number);
        }
        const size_t step = (part->cmsg_len + 7) / 8 * 8;
        if (step >= left) return false;
        at += step;
        left -= step;
    }
    return false;
}

}  // namespace ctr::pidns::guest
