#include "cmd/progress.h"

#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace ctr::cmd {

namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr const char* clear_line = "\r\x1b[K";

void show(const std::string& text) {
    const std::string line = clear_line + text;
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

void count_down(const std::stop_token& over, const std::string& what, seconds patience) {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    bool shown = false;
    for (seconds left = patience - seconds(1); left > seconds(0); left -= seconds(1)) {
        const auto next = steady_clock::now() + seconds(1);
        if (changed.wait_until(lock, over, next, [] { return false; }) || over.stop_requested()) break;
        show(what + ", " + std::to_string(left.count()) + " s left");
        shown = true;
    }
    if (shown && !over.stop_requested()) changed.wait(lock, over, [] { return false; });
    if (shown) show("");
}

}  // namespace

Progress::Progress(std::string what, seconds patience) {
    if (isatty(STDERR_FILENO) == 0) return;
    thread_ = std::jthread([what = std::move(what), patience](const std::stop_token& over) {
        count_down(over, what, patience);
    });
}

}  // namespace ctr::cmd
