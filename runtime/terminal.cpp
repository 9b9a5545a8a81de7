#include "runtime/terminal.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

namespace ctr::terminal {

namespace {

constexpr char end_of_file = 4;  // ^D, as terminals begin their lives

bool same(const termios& one, const termios& other) {
    return one.c_iflag == other.c_iflag && one.c_oflag == other.c_oflag && one.c_lflag == other.c_lflag;
}

}  // namespace

action::WindowSize size_of(int fd) {
    winsize size{};
    if (ioctl(fd, TIOCGWINSZ, &size) != 0) return {};
    return {size.ws_row, size.ws_col};
}

std::optional<Modes> modes_of(int fd) {
    Modes modes;
    modes.fd = fd;
    if (tcgetattr(fd, &modes.usual) != 0) return std::nullopt;
    modes.raw = modes.usual;
    cfmakeraw(&modes.raw);
    return modes;
}

void enter_raw(const Modes& modes) {
    while (tcsetattr(modes.fd, TCSANOW, &modes.raw) != 0 && errno == EINTR) {
    }
}

void restore(const Modes& modes) {
    termios now{};
    int fd = modes.fd;
    Fd again;
    if (tcgetattr(fd, &now) != 0) {
        // The end of its session's leader hangs up whatever was open; the terminal may live on.
        std::array<char, 32> link{};
        std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", modes.fd);
        if (errno == EIO) again.reset(open(link.data(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
        fd = again.get();
        if (fd < 0 || tcgetattr(fd, &now) != 0) return;
    }
    if (!same(now, modes.raw)) return;
    // From the background the kernel lets those set a terminal who block SIGTTOU.
    sigset_t stop;
    sigset_t before;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTTOU);
    sigprocmask(SIG_BLOCK, &stop, &before);
    tcsetattr(fd, TCSANOW, &modes.usual);
    sigprocmask(SIG_SETMASK, &before, nullptr);
}

bool in_foreground(const Modes& modes) {
    const pid_t group = tcgetpgrp(modes.fd);
    return group < 0 || group == getpgrp();
}

Relay::Relay(Fd outer_end) : outer_end_(std::move(outer_end)) {
    fcntl(outer_end_.get(), F_SETFL, O_RDWR | O_NONBLOCK);
    held_.reset(ioctl(outer_end_.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
}

Relay::Events Relay::interests() const {
    Events events{{{-1, POLLIN, 0}, {-1, POLLOUT, 0}, {outer_end_.get(), 0, 0}}};
    if (input_.empty() && !input_ended_) events[0].fd = STDIN_FILENO;
    if (!output_.empty()) events[1].fd = STDOUT_FILENO;
    if (output_.empty()) events[2].events |= POLLIN;
    if (!input_.empty()) events[2].events |= POLLOUT;
    return events;
}

bool Relay::Buffer::fill(int from) {
    const ssize_t got = read(from, bytes.data(), bytes.size());
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    begin = 0;
    end = static_cast<size_t>(std::max<ssize_t>(got, 0));
    return got > 0;
}

void Relay::Buffer::drain(int to) {
    const ssize_t put = write(to, bytes.data() + begin, end - begin);
    if (put < 0 && (errno == EAGAIN || errno == EINTR)) return;
    begin = put < 0 ? end : begin + static_cast<size_t>(put);
}

// Twice: the first ends a line that isn't complete.
void Relay::end_of_input() {
    input_ended_ = true;
    input_.bytes[0] = input_.bytes[1] = end_of_file;
    input_.begin = 0;
    input_.end = 2;
}

void Relay::carry(const Events& events) {
    if (events[0].revents != 0 && !input_.fill(STDIN_FILENO)) end_of_input();
    if (events[1].revents != 0) output_.drain(STDOUT_FILENO);
    if ((events[2].revents & POLLIN) != 0) output_.fill(outer_end_.get());
    if ((events[2].revents & POLLOUT) != 0) input_.drain(outer_end_.get());
}

void Relay::resize(action::WindowSize size) const {
    const winsize window{size.rows, size.columns, 0, 0};
    ioctl(outer_end_.get(), TIOCSWINSZ, &window);
}

void Relay::finish() {
    held_.reset();
    do {
        while (!output_.empty()) output_.drain(STDOUT_FILENO);
    } while (output_.fill(outer_end_.get()) && !output_.empty());
}

Attachment::~Attachment() {
    if (!relay_) return;
    relay_->finish();
    if (outer_) restore(*outer_);
}

void Attachment::begin(Fd outer_end) {
    relay_.emplace(std::move(outer_end));
    if (outer_) enter_raw(*outer_);
    take_size();  // it may have changed since the command's was made
}

void Attachment::carry(const Relay::Events& events) {
    if (relay_) relay_->carry(events);
}

void Attachment::take_size() const {
    if (outer_) relay_->resize(size_of(outer_->fd));
}

bool Attachment::take_signal(int signal) const {
    if (!relay_) return false;
    // The shell has set the terminal as it likes while we were stopped.
    if (signal == SIGCONT && outer_ && in_foreground(*outer_)) enter_raw(*outer_);
    if (signal == SIGWINCH) take_size();
    return signal == SIGWINCH;
}

}  // namespace ctr::terminal
