#include "runtime/log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <nlohmann/json.hpp>

#include "runtime/base/path.h"
#include "runtime/json_fields.h"
#include "runtime/state.h"

namespace ctr {

namespace {

constexpr const char* log_file = "log";
constexpr const char* older_file = "log.1";
constexpr std::array stream_names{"stdout", "stderr", "ctr"};

// JSON takes six bytes for one at most, twice, and what surrounds the texts is short.
constexpr size_t longest_object = 12 * log_line + 256;

Fd open_log(int directory, const char* name, int flags) {
    return Fd(openat(directory, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600));
}

}  // namespace

std::string to_json(const LogLine& line) {
    Json object{{"time", line.time}, {"stream", line.stream}};
    put_bytes(object, "log", "bytes", line.text);
    return dumped(object) + "\n";
}

std::optional<LogLine> parse_log_line(const std::string& text) {
    const Json object = Json::parse(text, nullptr, false);
    if (!object.is_object()) return {};
    LogLine line;
    for (auto [name, member] : {std::pair{"time", &LogLine::time}, std::pair{"stream", &LogLine::stream},
                                std::pair{"log", &LogLine::text}}) {
        const auto found = object.find(name);
        if (found == object.end() || !found->is_string()) return {};
        line.*member = found->get<std::string>();
    }
    if (const auto bytes = object.find("bytes"); bytes != object.end() && bytes->is_string())
        line.text = byte_text::narrowed(bytes->get<std::string>());
    return line;
}

Result<Log> Log::create(const Fd& directory, size_t size) {
    Fd file = open_log(directory.get(), log_file, O_WRONLY | O_CREAT | O_APPEND);
    if (!file) return fail_call("make the log of the container", "openat");
    return Log(directory.get(), std::move(file), size);
}

void Log::write(Stream stream, std::string_view bytes) {
    std::string& begun = begun_.at(stream);
    while (!bytes.empty()) {
        const size_t newline = bytes.find('\n');
        const size_t end = newline == std::string_view::npos ? bytes.size() : newline + 1;
        const size_t taken = std::min(end, log_line - begun.size());
        begun += bytes.substr(0, taken);
        bytes.remove_prefix(taken);
        if (begun.size() == log_line || begun.ends_with('\n')) append(stream, std::exchange(begun, {}));
    }
    put_down();
}

void Log::flush() {
    for (const Stream stream : {out, err, ctr})
        if (!begun_.at(stream).empty()) append(stream, std::exchange(begun_.at(stream), {}));
    put_down();
}

void Log::append(Stream stream, std::string text) {
    const std::string line = to_json({timestamp(), stream_names.at(stream), std::move(text)});
    if (written_ + lines_.size() + line.size() > size_) put_down();
    if (written_ != 0 && written_ + line.size() > size_) {
        renameat(directory_, log_file, directory_, older_file);
        if (Fd next = open_log(directory_, log_file, O_WRONLY | O_CREAT | O_EXCL | O_APPEND)) {
            file_ = std::move(next);
            written_ = 0;
        }
    }
    lines_ += line;
}

void Log::put_down() {
    if (lines_.empty()) return;
    if (::write(file_.get(), lines_.data(), lines_.size()) > 0) written_ += lines_.size();
    lines_.clear();
}

std::optional<LogLine> LogReader::next() {
    while (true) {
        const size_t newline = rest_.find('\n');
        if (newline != std::string::npos) {
            auto line = parse_log_line(rest_.substr(0, newline));
            rest_.erase(0, newline + 1);
            if (line) return line;
            continue;
        }
        // Not one of ours, however long it goes on.
        if (rest_.size() > longest_object) rest_.clear();
        if (!fill() && !open_next()) return {};
    }
}

bool LogReader::fill() {
    std::array<char, 65536> bytes;
    const ssize_t got = file_ ? read(file_.get(), bytes.data(), bytes.size()) : 0;
    if (got <= 0) return false;
    rest_.append(bytes.data(), static_cast<size_t>(got));
    return true;
}

// The one before, the one that is written, and, when another has taken its place, that.
bool LogReader::open_next() {
    if (!std::exchange(older_read_, true)) {
        file_ = open_log(directory_, older_file, O_RDONLY);
        if (file_) return true;
    }
    Fd newest = open_log(directory_, log_file, O_RDONLY);
    if (!newest || (file_ && path::same_file(file_.get(), newest.get()))) return false;
    // It may have grown between our last look and its end.
    if (file_ && fill()) return true;
    file_ = std::move(newest);
    return true;
}

}  // namespace ctr
