// ctr stats: what containers use, again and again.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <thread>

#include "cmd/life.h"
#include "cmd/stats_format.h"
#include "cmd/verbs.h"

namespace ctr::cmd {

namespace {

constexpr std::chrono::seconds interval{1};

// Those that were named, or all, that run now.
class Watched {
  public:
    Watched(const Registry& registry, const std::vector<std::string>& names)
        : registry_(registry), names_(names) {}

    // One that was named and doesn't run is an error.
    Status begin() {
        for (const std::string& name : names_) {
            const auto entry = registry_.find(name);
            if (!entry) return std::unexpected(entry.error());
            auto stats = read_stats(*entry);
            if (!stats) return std::unexpected(std::move(stats).error());
        }
        (void)read();
        return {};
    }

    // What has ended meanwhile is left out.
    std::vector<Reading> read() {
        std::vector<Reading> readings;
        std::map<std::string, Stats> now;
        for (const Entry& entry : entries()) {
            auto stats = entry.alive() ? read_stats(entry) : fail_input("", "");
            if (!stats) continue;
            const auto before = before_.find(entry.name());
            const bool same = before != before_.end() && before->second.init == stats->init;
            readings.push_back({*stats, same ? ctr::cpu_percent(before->second, *stats) : 0});
            now.emplace(entry.name(), std::move(*stats));
        }
        before_ = std::move(now);
        return readings;
    }

    bool all_named_are_over(const std::vector<Reading>& readings) const {
        return !names_.empty() && readings.empty();
    }

  private:
    std::vector<Entry> entries() const {
        std::vector<Entry> found;
        if (names_.empty()) {
            if (auto all = registry_.all()) found = std::move(*all);
            return found;
        }
        for (const std::string& name : names_)
            if (auto entry = registry_.find(name)) found.push_back(std::move(*entry));
        return found;
    }

    const Registry& registry_;
    const std::vector<std::string>& names_;
    std::map<std::string, Stats> before_;
};

// In the place of what is there: each line to its end, and nothing below.
std::string over_the_last(const std::string& table) {
    constexpr const char* home = "\x1b[H";
    constexpr const char* clear_line = "\x1b[K\n";
    constexpr const char* clear_below = "\x1b[J";
    std::string text = home;
    for (const char c : table) text += c == '\n' ? clear_line : std::string(1, c);
    return text + clear_below;
}

}  // namespace

int stats_verb(const std::vector<std::string>& arguments) {
    return with_registry("stats", arguments,
                         [](const LifeCall& call, const Registry& registry) -> Result<int> {
                             bool json = false;
                             bool once = false;
                             if (auto taken = call.given.take_flag("json", json); !taken)
                                 return std::unexpected(std::move(taken).error());
                             if (auto taken = call.given.take_flag("no-stream", once); !taken)
                                 return std::unexpected(std::move(taken).error());
                             Watched watched(registry, call.names);
                             if (auto begun = watched.begin(); !begun)
                                 return std::unexpected(std::move(begun).error());
                             const bool in_place = !once && !json && isatty(STDOUT_FILENO) == 1;
                             if (in_place) std::cout << "\x1b[2J";
                             while (true) {
                                 std::this_thread::sleep_for(interval);
                                 const std::vector<Reading> readings = watched.read();
                                 if (!once && watched.all_named_are_over(readings)) return 0;
                                 const std::string text = json ? as_json(readings, once) : as_table(readings);
                                 std::cout << (in_place ? over_the_last(text) : text) << std::flush;
                                 if (once || !std::cout) return 0;
                             }
                         });
}

}  // namespace ctr::cmd
