#include "pidns/monitor/listener.h"

#include <fcntl.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>

// Linux 6.6; absent from older headers.
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

namespace ctr::pidns {

namespace {

// Both calls wait for a lock, interruptibly; the monitor's alarm must not make an answer be lost.
bool uninterrupted(int fd, unsigned long request, const void* argument) {
    int result = 0;
    do result = ioctl(fd, request, argument);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

}  // namespace

void Listener::add(Fd fd) {
    // Only a speed-up: kernels without it wake the monitor on a CPU of their choice.
    ioctl(fd.get(), SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
    fds_.push_back(std::move(fd));
}

void Listener::drop(int fd) {
    std::erase_if(fds_, [fd](const Fd& one) { return one.get() == fd; });
}

std::optional<Trap> Listener::receive(int fd) {
    seccomp_notif request{};  // the kernel demands zeroes
    if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0) return {};
    Trap trap{request.id, fd, HostPid(static_cast<int>(request.pid)), request.data.arch, request.data.nr, {}};
    std::copy_n(request.data.args, 6, trap.arguments);
    trap.instruction = request.data.instruction_pointer;
    return trap;
}

bool Listener::valid(const Trap& trap) const {
    if (trap.id == Trap::stands) return true;
    return uninterrupted(trap.listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &trap.id);
}

bool Listener::answer(const Trap& trap, long value) const {
    return value < 0 ? send(trap, 0, static_cast<int>(value), 0) : send(trap, value, 0, 0);
}

std::optional<int> Listener::place(const Trap& trap, int fd, bool close_on_exec,
                                   std::optional<int> at) const {
    seccomp_notif_addfd request{};
    request.id = trap.id;
    request.srcfd = static_cast<uint32_t>(fd);
    request.newfd_flags = close_on_exec ? O_CLOEXEC : 0;
    if (at) {
        request.flags = SECCOMP_ADDFD_FLAG_SETFD;
        request.newfd = static_cast<uint32_t>(*at);
    }
    int placed = 0;
    do placed = ioctl(trap.listener, SECCOMP_IOCTL_NOTIF_ADDFD, &request);
    while (placed < 0 && errno == EINTR);
    return placed < 0 ? std::nullopt : std::optional(placed);
}

bool Listener::proceed(const Trap& trap) const {
    return send(trap, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
}

bool Listener::send(const Trap& trap, long value, int error, uint32_t flags) const {
    if (trap.id == Trap::stands) return false;
    seccomp_notif_resp response{trap.id, value, error, flags};
    return uninterrupted(trap.listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

}  // namespace ctr::pidns
