#include "runtime/status_stream.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include <nlohmann/json.hpp>

namespace ctr {

namespace {

std::string dump(const nlohmann::ordered_json& object) {
    // Texts may hold a user's bytes, which need not be UTF-8.
    return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

Result<StatusStream> StatusStream::open(int fd) {
    if (fd >= 0 && fcntl(fd, F_GETFD) < 0)
        return fail_call("report to descriptor " + std::to_string(fd), "fcntl", errno,
                         "the caller hasn't opened it", "ctr run --status-fd 3 ... 3>status.json");
    return StatusStream(fd);
}

void StatusStream::warned(const std::string& text) const {
    write_line(dump({{"event", "warning"}, {"message", text}}));
}

void StatusStream::started(HostPid init, HostPid command, const std::string& name) const {
    nlohmann::ordered_json object{{"event", "started"}, {"init", raw(init)}, {"command", raw(command)}};
    if (!name.empty()) object["name"] = name;
    write_line(dump(object));
}

void StatusStream::exited(const Exit& exit) const {
    write_line(dump({{"event", "exited"}, {"status", exit.status}, {"signal", exit.signal}}));
}

void StatusStream::failed(const Error& error) const {
    write_line(dump({{"event", "failed"},
                     {"status", error.exit_code},
                     {"step", error.step},
                     {"call", error.call},
                     {"errno", error.err},
                     {"error", error.err == 0 ? "" : errno_name(error.err)},
                     {"message", error.message()}}));
}

void StatusStream::write_line(const std::string& json) const {
    if (fd_ < 0) return;
    const std::string line = json + '\n';
    // A reader that went away is its own affair; SIGPIPE is blocked in the keeper.
    [[maybe_unused]] const ssize_t written = write(fd_, line.data(), line.size());
}

}  // namespace ctr
