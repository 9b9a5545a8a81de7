// ctr logs: what a detached container has written.
#include <poll.h>

#include <iostream>

#include "cmd/life.h"
#include "cmd/verbs.h"
#include "runtime/log.h"

namespace ctr::cmd {

namespace {

constexpr int look_again_ms = 100;

void print(const LogLine& line) {
    if (line.stream == "stdout")
        std::cout << line.text;
    else if (line.stream == "stderr")
        std::cerr << line.text;
    else
        std::cerr << "ctr: warning: " << line.text;
}

void print_all(LogReader& reader) {
    while (const auto line = reader.next()) print(*line);
    std::cout.flush();
}

}  // namespace

int logs_verb(const std::vector<std::string>& arguments) {
    return with_registry(
        "logs", arguments, [](const LifeCall& call, const Registry& registry) -> Result<int> {
            bool follow = false;
            if (auto taken = call.given.take_flag("follow", follow); !taken)
                return std::unexpected(std::move(taken).error());
            const auto entry = registry.find(call.names.front());
            if (!entry) return std::unexpected(entry.error());
            const auto state = entry->read();
            if (!state) return std::unexpected(state.error());
            if (!state->detached)
                return fail_input("read the log of container \"" + entry->name() + "\"",
                                  "it has none: it isn't detached, so its starter got what it wrote");
            LogReader reader(entry->directory());
            for (bool alive = true; alive && std::cout;) {
                alive = follow && entry->alive();
                print_all(reader);
                if (alive) poll(nullptr, 0, look_again_ms);
            }
            return 0;
        });
}

}  // namespace ctr::cmd
