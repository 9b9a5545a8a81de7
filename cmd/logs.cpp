// ctr logs: what a detached container has written.
#include <poll.h>

#include <deque>
#include <iostream>
#include <optional>

#include "cmd/life.h"
#include "cmd/values.h"
#include "cmd/verbs.h"
#include "runtime/log.h"

namespace ctr::cmd {

namespace {

constexpr int look_again_ms = 100;

struct LogOptions {
    bool follow = false;
    bool timestamps = false;
    std::optional<uint32_t> tail;  // lines; absent: all
};

Result<LogOptions> take_options(const Given& given) {
    LogOptions options;
    const auto lines = [](const std::string& text) -> Result<std::optional<uint32_t>> {
        return parse_number("tail", text, 0, UINT32_MAX);
    };
    Status statuses[] = {given.take_flag("follow", options.follow),
                         given.take_flag("timestamps", options.timestamps),
                         given.take("tail", options.tail, lines)};
    for (Status& status : statuses)
        if (!status) return std::unexpected(std::move(status).error());
    return options;
}

void print(const LogLine& line, bool with_time) {
    std::ostream& stream = line.stream == "stdout" ? std::cout : std::cerr;
    if (with_time) stream << line.time << ' ';
    if (line.stream == "ctr") stream << "ctr: warning: ";
    stream << line.text;
}

void print_all(LogReader& reader, bool with_time) {
    while (const auto line = reader.next()) print(*line, with_time);
    std::cout.flush();
}

// Of those that are there now.
void print_last(LogReader& reader, size_t most, bool with_time) {
    std::deque<LogLine> last;
    while (auto line = reader.next()) {
        last.push_back(std::move(*line));
        if (last.size() > most) last.pop_front();
    }
    for (const LogLine& line : last) print(line, with_time);
    std::cout.flush();
}

}  // namespace

int logs_verb(const std::vector<std::string>& arguments) {
    return with_registry(
        "logs", arguments, [](const LifeCall& call, const Registry& registry) -> Result<int> {
            const auto options = take_options(call.given);
            if (!options) return std::unexpected(options.error());
            const auto entry = registry.find(call.names.front());
            if (!entry) return std::unexpected(entry.error());
            const auto state = entry->read();
            if (!state) return std::unexpected(state.error());
            if (!state->detached)
                return fail_input("read the log of container \"" + entry->name() + "\"",
                                  "it has none: it isn't detached, so its starter got what it wrote");
            LogReader reader(entry->directory());
            if (options->tail) print_last(reader, *options->tail, options->timestamps);
            for (bool alive = true; alive && std::cout;) {
                alive = options->follow && entry->alive();
                print_all(reader, options->timestamps);
                if (alive) poll(nullptr, 0, look_again_ms);
            }
            return 0;
        });
}

}  // namespace ctr::cmd
