// What a detached container writes: one JSON object a line. A kill at any moment leaves whole lines, but for
// the last one, which readers pass over.
//
//   {"time":"2026-12-01T08:00:00.123456789Z","stream":"stdout","log":"one line\n"}
//
// stream: stdout, stderr, or ctr for what ctr itself had to say. A line that is longer than log_line is in
// several objects, of which the last one's text ends in a newline. The file is bounded: at log_size it
// becomes "log.1", which takes the place of the one before.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/error.h"
#include "runtime/base/fd.h"

namespace ctr {

inline constexpr size_t log_line = 16384;
inline constexpr size_t log_size = 8U << 20;

struct LogLine {
    std::string time;
    std::string stream;
    std::string text;  // of the program: any bytes that are UTF-8
};

std::string to_json(const LogLine& line);
std::optional<LogLine> parse_log_line(const std::string& text);  // nothing: it is none of ours

class Log {
  public:
    enum Stream { out, err, ctr };

    // DIRECTORY: the container's (registry.h); outlives the log.
    static Result<Log> create(const Fd& directory, size_t size = log_size);

    // What isn't a whole line yet waits for the rest of it. What can't be written is lost: a full disk must
    // not stop the container.
    void write(Stream stream, std::string_view bytes);
    void flush();

  private:
    Log(int directory, Fd file, size_t size) : directory_(directory), file_(std::move(file)), size_(size) {}
    void append(Stream stream, std::string text);
    void put_down();

    int directory_;
    Fd file_;
    size_t size_;
    size_t written_ = 0;
    std::array<std::string, 3> begun_;  // by stream
    std::string lines_;                 // of one call, for one write
};

// Reads a log from its beginning, also while it is being written.
class LogReader {
  public:
    explicit LogReader(const Fd& directory) : directory_(directory.get()) {}

    // Nothing: that was all for now.
    std::optional<LogLine> next();

  private:
    bool open_next();
    bool fill();

    int directory_;
    Fd file_;
    bool older_read_ = false;
    std::string rest_;  // read, not handed out yet
};

}  // namespace ctr
