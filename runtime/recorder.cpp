#include "runtime/recorder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace ctr {

namespace {

constexpr const char* step = "keep what the container writes";

Status take_place(const Fd& from, int place) {
    if (dup2(from.get(), place) < 0) return fail_call(step, "dup2");
    return {};
}

}  // namespace

Result<Recorder> Recorder::create(Log log, const std::optional<User>& owner) {
    Fd null(open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!null) return fail_call(step, "open");
    if (auto placed = take_place(null, STDIN_FILENO); !placed)
        return std::unexpected(std::move(placed).error());
    std::array<Fd, 2> readers;
    for (const int place : {STDOUT_FILENO, STDERR_FILENO}) {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0) return fail_call(step, "pipe2");
        Fd& reader = readers.at(static_cast<size_t>(place - STDOUT_FILENO));
        reader.reset(ends[0]);
        const Fd writer(ends[1]);
        // Only this end: whoever writes faster than we read has to wait.
        if (fcntl(reader.get(), F_SETFL, O_NONBLOCK) != 0) return fail_call(step, "fcntl");
        // In a user namespace its ids are others, and the caller's own is the user's there.
        if (owner) (void)fchown(writer.get(), owner->uid, owner->gid);
        if (auto placed = take_place(writer, place); !placed)
            return std::unexpected(std::move(placed).error());
    }
    return Recorder(std::move(log), std::move(readers), std::move(null));
}

Status Recorder::read_only() {
    for (const int place : {STDOUT_FILENO, STDERR_FILENO})
        if (auto placed = take_place(null_, place); !placed) return placed;
    return {};
}

void Recorder::write_only() {
    for (Fd& pipe : pipes_) pipe.reset();
}

// A bounded amount from each, so that neither the other nor a signal has to wait for one that never stops.
bool Recorder::take() {
    bool any = false;
    for (const Log::Stream stream : {Log::out, Log::err}) {
        Fd& pipe = pipes_.at(stream);
        std::array<char, 65536> bytes;
        const ssize_t got = pipe ? read(pipe.get(), bytes.data(), bytes.size()) : -1;
        if (got > 0) log_.write(stream, {bytes.data(), static_cast<size_t>(got)});
        if (got == 0) pipe.reset();
        any = any || got > 0;
    }
    return any;
}

void Recorder::take_rest() {
    // More than a pipe holds; somebody outside may have been given its end, and never stop.
    for (int i = 0; i < 64 && take(); ++i) {
    }
    log_.flush();
}

}  // namespace ctr
