// A program on a terminal, as a person has it: typed to, looked at, resized.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <optional>
#include <string>

#include "runtime/base/fd.h"
#include "tests/support/process.h"

namespace ctr::test {

class OnTerminal {
  public:
    OnTerminal(const Arguments& argv, std::optional<Identity> identity = {}, unsigned short rows = 33,
               unsigned short columns = 77);
    OnTerminal(const OnTerminal&) = delete;
    OnTerminal& operator=(const OnTerminal&) = delete;
    ~OnTerminal();  // kills what is left

    pid_t pid() const { return pid_; }
    void type(const std::string& text) const;
    pid_t foreground_group() const;
    void resize(unsigned short rows, unsigned short columns) const;

    // Waits until this has been shown since the last call; false after twenty seconds, or if everything ended
    // before.
    bool shows(const std::string& text);
    const std::string& screen() const { return screen_; }  // all that was ever shown

    // Whether lines are edited and keys have effects, as usual, after at most ten seconds.
    bool becomes_usual() const;
    bool becomes_raw() const;

    // The exit code, 128 + n for signal n; -1 after twenty seconds.
    int wait();

  private:
    termios modes() const;

    Fd outer_end_;
    Fd held_;  // the terminal: its modes can be looked at when everybody has left
    pid_t pid_ = -1;
    std::string screen_;
    size_t seen_ = 0;
};

}  // namespace ctr::test
