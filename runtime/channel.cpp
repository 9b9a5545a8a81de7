#include "runtime/channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "pidns/surface/mark.h"
#include "runtime/base/sys.h"

namespace ctr::channel {

namespace {

enum class Kind : uint32_t { go = 1, failed, executing, noted, terminal };

struct Message {
    Kind kind = Kind::go;
    Failure failure;
};

// The mark on every message: after the filter has been installed, nobody serves notifications until the
// command runs.
ssize_t send(int fd, const Message& message, int descriptor) {
    iovec part{const_cast<Message*>(&message), sizeof message};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    if (descriptor >= 0) {
        header.msg_control = control;
        header.msg_controllen = sizeof control;
        cmsghdr* rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
    }
    ssize_t sent = 0;
    do sent = sys::sendmsg_marked(fd, header, MSG_NOSIGNAL, pidns::mark);
    while (sent < 0 && errno == EINTR);
    return sent;
}

// 0 at the end; EPROTO for anything that isn't one whole message.
ssize_t receive(int fd, Message& message, Fd* descriptor, HostPid* sender) {
    iovec part{&message, sizeof message};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(ucred))] = {};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    ssize_t received = 0;
    do received = recvmsg(fd, &header, MSG_CMSG_CLOEXEC);
    while (received < 0 && errno == EINTR);
    if (received <= 0) return received;
    for (cmsghdr* part_of = CMSG_FIRSTHDR(&header); part_of != nullptr;
         part_of = CMSG_NXTHDR(&header, part_of)) {
        if (part_of->cmsg_level != SOL_SOCKET) continue;
        if (part_of->cmsg_type == SCM_CREDENTIALS && sender != nullptr) {
            ucred credentials{};
            memcpy(&credentials, CMSG_DATA(part_of), sizeof credentials);
            *sender = HostPid(credentials.pid);
        }
        if (part_of->cmsg_type != SCM_RIGHTS) continue;
        int number = -1;
        memcpy(&number, CMSG_DATA(part_of), sizeof number);
        Fd received_descriptor(number);
        if (descriptor != nullptr) *descriptor = std::move(received_descriptor);
    }
    if (static_cast<size_t>(received) == sizeof message) return received;
    errno = EPROTO;
    return -1;
}

}  // namespace

Status ParentEnd::go() const {
    if (send(fd_.get(), {Kind::go, {}}, -1) < 0)
        return fail_call("start the first process", "sendmsg", errno, "it died before it was told to start");
    return {};
}

Result<Event> ParentEnd::receive() const {
    Message message;
    Event event;
    const ssize_t received = channel::receive(fd_.get(), message, &event.descriptor, &event.sender);
    if (received == 0) return event;
    // A child that dies with an unread message in its queue resets the connection.
    if (received < 0 && errno == ECONNRESET) return event;
    if (received < 0) return fail_call("listen to the first process", "recvmsg");
    switch (message.kind) {
        case Kind::failed: event.kind = Event::Kind::failed; break;
        case Kind::noted: event.kind = Event::Kind::noted; break;
        case Kind::terminal: event.kind = Event::Kind::terminal; break;
        case Kind::executing: event.kind = Event::Kind::executing; break;
        default: return fail_call("listen to the first process", "recvmsg", EPROTO);
    }
    event.failure = message.failure;
    event.failure.call[sizeof event.failure.call - 1] = 0;
    event.failure.text[sizeof event.failure.text - 1] = 0;
    return event;
}

bool ChildEnd::wait_for_go() const {
    Message message;
    return receive(fd_.get(), message, nullptr, nullptr) > 0 && message.kind == Kind::go;
}

bool ChildEnd::parent_is_gone() const {
    pollfd state{fd_.get(), POLLIN, 0};
    return poll(&state, 1, 0) > 0 && (state.revents & (POLLHUP | POLLERR)) != 0;
}

void ChildEnd::failed(const Failure& failure) const {
    send(fd_.get(), {Kind::failed, failure}, -1);
}

void ChildEnd::noted(const Failure& failure) const {
    send(fd_.get(), {Kind::noted, failure}, -1);
}

int ChildEnd::terminal(int outer_end) const {
    return send(fd_.get(), {Kind::terminal, {}}, outer_end) < 0 ? -1 : 0;
}

int ChildEnd::executing(int listener) const {
    return send(fd_.get(), {Kind::executing, {}}, listener) < 0 ? -1 : 0;
}

Result<std::pair<ParentEnd, ChildEnd>> make() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return fail_call("make a channel to the first process", "socketpair");
    auto pair = std::pair{ParentEnd(Fd(ends[0])), ChildEnd(Fd(ends[1]))};
    const int yes = 1;
    if (setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes) != 0)
        return fail_call("make a channel to the first process", "setsockopt(SO_PASSCRED)");
    return pair;
}

}  // namespace ctr::channel
