// The caller's terminal while a container has one of its own: what is typed there goes to the container as it
// is, and what the container writes comes back.
#pragma once

#include <poll.h>
#include <termios.h>

#include <array>
#include <optional>

#include "runtime/action.h"
#include "runtime/base/fd.h"

namespace ctr::terminal {

// The size of the terminal's window; 0 by 0 if the descriptor is none, or doesn't know.
action::WindowSize size_of(int fd);

// How a terminal is set, and how it is to be meanwhile: every key is passed on, none has an effect here.
struct Modes {
    int fd = -1;
    termios usual{};
    termios raw{};
};
std::optional<Modes> modes_of(int fd);  // nothing: it is no terminal

// Both may be called at any time. From the background, entering stops the caller (SIGTTOU) until it is in the
// foreground, as shells expect. Restoring does nothing where the terminal isn't raw any more: then a shell
// has taken it over.
void enter_raw(const Modes& modes);
void restore(const Modes& modes);

// Whether the terminal is the caller's to read from and to set: false for a background job.
bool in_foreground(const Modes& modes);

// Passes bytes between a container's terminal and the caller's standard input and output. Never blocks in
// carry(): the caller polls for interests() together with what else it waits for.
class Relay {
  public:
    explicit Relay(Fd outer_end);

    using Events = std::array<pollfd, 3>;
    static constexpr Events nothing{{{-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0}}};
    Events interests() const;
    void carry(const Events& events);

    // The container's window is to have this size.
    void resize(action::WindowSize size) const;

    // When nobody inside has the terminal any more: passes on what was written last.
    void finish();

  private:
    struct Buffer {
        std::array<char, 4096> bytes;  // PIPE_BUF: a pipe that can be written to takes it whole
        size_t begin = 0;
        size_t end = 0;
        bool empty() const { return begin == end; }
        bool fill(int from);  // false: the end, or an error that stays
        void drain(int to);   // what nobody takes any more is dropped
    };
    void end_of_input();

    Fd outer_end_;
    Fd held_;  // the terminal itself: while it is open, so is the connection, whoever closes it inside
    Buffer input_;
    Buffer output_;
    bool input_ended_ = false;
};

// The caller's terminal, if it has one, and that of a command, from when that is there: raw meanwhile, of one
// size, and put back at the end.
class Attachment {
  public:
    explicit Attachment(std::optional<Modes> outer) : outer_(outer) {}
    Attachment(const Attachment&) = delete;
    Attachment& operator=(const Attachment&) = delete;
    ~Attachment();

    void begin(Fd outer_end);  // of the command's

    // As those of Relay; nothing before the beginning.
    Relay::Events interests() const { return relay_ ? relay_->interests() : Relay::nothing; }
    void carry(const Relay::Events& events);

    // What the signals of a terminal mean to who stands between two. True: it is not for the command.
    bool take_signal(int signal) const;

  private:
    void take_size() const;

    std::optional<Modes> outer_;
    std::optional<Relay> relay_;
};

}  // namespace ctr::terminal
