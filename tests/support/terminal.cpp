#include "tests/support/terminal.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <vector>

#include "runtime/base/sys.h"

namespace ctr::test {

namespace {

constexpr int patience = 20'000;  // milliseconds

template <class Condition>
bool eventually(Condition condition) {
    for (int i = 0; i < 10'000; ++i) {
        if (condition()) return true;
        poll(nullptr, 0, 1);
    }
    return false;
}

[[noreturn]] void become(const Arguments& argv, std::optional<Identity> identity) {
    if (identity && (setgroups(0, nullptr) != 0 || setgid(identity->gid) != 0 || setuid(identity->uid) != 0))
        _exit(254);
    std::vector<char*> pointers;
    for (const std::string& word : argv) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    setenv("PS1", "ready> ", 1);
    execvp(pointers[0], pointers.data());
    _exit(254);
}

}  // namespace

OnTerminal::OnTerminal(const Arguments& argv, std::optional<Identity> identity, unsigned short rows,
                       unsigned short columns) {
    const winsize size{rows, columns, 0, 0};
    int outer_end = -1;
    pid_ = forkpty(&outer_end, nullptr, nullptr, &size);
    if (pid_ < 0) throw std::runtime_error("forkpty");
    if (pid_ == 0) {
        // A user's terminal is the user's.
        if (identity && fchown(STDIN_FILENO, identity->uid, identity->gid) != 0) _exit(1);
        become(argv, identity);
    }
    outer_end_.reset(outer_end);
    held_.reset(open(ptsname(outer_end), O_RDWR | O_NOCTTY | O_CLOEXEC));
}

OnTerminal::~OnTerminal() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    kill(pid_, SIGCONT);
    waitpid(pid_, nullptr, 0);
}

void OnTerminal::type(const std::string& text) const {
    if (write(outer_end_.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        throw std::runtime_error("write to a terminal");
}

void OnTerminal::resize(unsigned short rows, unsigned short columns) const {
    const winsize size{rows, columns, 0, 0};
    ioctl(outer_end_.get(), TIOCSWINSZ, &size);
}

pid_t OnTerminal::foreground_group() const {
    pid_t group = -1;
    ioctl(outer_end_.get(), TIOCGPGRP, &group);
    return group;
}

bool OnTerminal::shows(const std::string& text) {
    pollfd event{outer_end_.get(), POLLIN, 0};
    for (;;) {
        if (const size_t found = screen_.find(text, seen_); found != std::string::npos) {
            seen_ = found + text.size();
            return true;
        }
        char buffer[4096];
        if (poll(&event, 1, patience) <= 0) return false;
        const ssize_t got = read(outer_end_.get(), buffer, sizeof buffer);
        if (got <= 0) return false;
        screen_.append(buffer, static_cast<size_t>(got));
    }
}

termios OnTerminal::modes() const {
    termios now{};
    tcgetattr(held_.get(), &now);
    return now;
}

bool OnTerminal::becomes_usual() const {
    return eventually(
        [this] { return (modes().c_lflag & (ICANON | ISIG | ECHO)) == (ICANON | ISIG | ECHO); });
}

bool OnTerminal::becomes_raw() const {
    return eventually([this] { return (modes().c_lflag & (ICANON | ISIG | ECHO)) == 0; });
}

int OnTerminal::wait() {
    const Fd pidfd(sys::pidfd_open(pid_, 0));
    pollfd event{pidfd.get(), POLLIN, 0};
    if (poll(&event, 1, patience) <= 0) return -1;
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace ctr::test
