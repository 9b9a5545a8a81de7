// What ctr itself has to say, on standard error: as text, or one JSON object a line.
//
//   ctr run: open the root directory "/nope": open: ENOENT (...): there is no such directory
//   {"time":"...Z","level":"error","verb":"run","message":"...","step":"...","call":"open","errno":2,
//    "error":"ENOENT","why":"...","hint":"...","status":125}
//
// time, level, verb and message are always there; container where one has a name; the others in errors only.
#pragma once

#include <memory>
#include <string>

#include "cmd/log_options.h"
#include "runtime/base/error.h"
#include "runtime/notice.h"

namespace spdlog {
class logger;
}

namespace ctr::cmd {

class Messages {
  public:
    // VERB: "" before one is known.
    Messages(std::string verb, LogOptions options, std::string container = "");
    ~Messages();
    Messages(const Messages&) = delete;
    Messages& operator=(const Messages&) = delete;

    // The same about one container.
    Messages about(std::string container) const { return {verb_, options_, std::move(container)}; }

    void notice(const Notice& notice) const;
    void note(const std::string& text) const;  // what the reader of the output should know
    int fail(const Error& error) const;        // its exit code

    // An error in the command line.
    int refuse(const Error& error) const;

  private:
    struct Line;
    void say(const Line& line) const;

    std::string verb_;
    LogOptions options_;
    std::string container_;
    mutable std::shared_ptr<spdlog::logger> logger_;  // made for the first message: most have nothing to say
};

}  // namespace ctr::cmd
