#include "cmd/bench/progress.h"

#include <unistd.h>

#include <algorithm>
#include <optional>

namespace ctr::bench {

namespace {

using Span = std::chrono::duration<double>;

constexpr const char* clear_line = "\r\x1b[K";
constexpr size_t bar_width = 24;

void write_out(const std::string& text) {
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

// Of what is planned, 0 to 1; by samples and by time, whichever is further on.
double share_of(const Position& position) {
    double share = 0;
    if (position.planned > 0) share = static_cast<double>(position.done) / position.planned;
    if (position.time && position.time->count() > 0)
        share = std::max(share, position.elapsed / *position.time);
    return std::min(share, 1.0);
}

std::optional<Span> left_of(const Position& position) {
    std::optional<Span> left;
    if (position.planned > 0 && position.done > 0)
        left = position.elapsed / position.done * (position.planned - position.done);
    if (position.time) {
        const Span of_time = std::max(Span(0), *position.time - position.elapsed);
        left = left ? std::min(*left, of_time) : of_time;
    }
    return left;
}

std::string clock_text(Span span) {
    const auto seconds = std::chrono::round<std::chrono::seconds>(span).count();
    const std::string rest = std::to_string(seconds % 60);
    return std::to_string(seconds / 60) + ':' + (rest.size() < 2 ? "0" : "") + rest;
}

}  // namespace

std::string progress_text(const std::string& title, const Position& position) {
    const auto full = static_cast<size_t>(share_of(position) * static_cast<double>(bar_width));
    std::string text = title + " [" + std::string(full, '#') + std::string(bar_width - full, '-') + "] " +
                       std::to_string(position.done);
    if (position.planned > 0) text += '/' + std::to_string(position.planned);
    text += "  " + position.subject;
    if (const auto left = left_of(position)) text += "  " + clock_text(*left) + " left";
    return text;
}

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
    if (shown_) write_out(clear_line);
}

void ProgressLine::show(const std::string& text) {
    if (!terminal_) return;
    constexpr size_t most = 110;  // one that is broken into two lines isn't cleared
    write_out(clear_line + text.substr(0, most));
    shown_ = true;
}

}  // namespace ctr::bench
