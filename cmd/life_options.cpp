#include "cmd/life_options.h"

#include <algorithm>

#include "cmd/limit_values.h"

namespace ctr::cmd {

namespace {

constexpr const char* group = "Options";
constexpr const char* usual_status = "0; 125 if ctr failed.";

std::vector<Option> with_common(std::vector<Option> options) {
    using enum Takes;
    options.push_back({group, "", "state-dir", value, "DIR",
                       "where containers are written down (default: CTR_STATE_DIR, or /run/ctr for root, or "
                       "$XDG_RUNTIME_DIR/ctr)",
                       "<directory>"});
    append_common(options, group);
    return options;
}

}  // namespace

const std::vector<LifeVerb>& life_verbs() {
    using enum Takes;
    static const std::vector<LifeVerb> verbs = {
        {"list", "", "Lists the containers that have a name.", usual_status,
         with_common({{group, "", "json", nothing, "", "a JSON array with the state of each"},
                      {group, "q", "quiet", nothing, "", "only their names"}}),
         0, 0},
        {"inspect", "NAME", "Prints the state of a container as JSON.", usual_status, with_common({}), 1, 1},
        {"pid", "NAME [NUMBER]",
         "Prints the host's number of a container's first process, or of the one that has this NUMBER in it.",
         usual_status, with_common({}), 1, 2},
        {"kill", "NAME...", "Sends a signal to a container's first process.", usual_status,
         with_common({{group, "s", "signal", value, "SIGNAL", "which (default: KILL)", "<signal>"}}), 1},
        {"stop", "NAME...",
         "Asks containers to end, with the signal of ctr run --stop-signal, and kills those that don't.",
         usual_status,
         with_common({{group, "t", "time", value, "SECONDS", "how long they may take (default: 10)"}}), 1},
        {"wait", "NAME...", "Waits for containers to end and prints their exit statuses.", usual_status,
         with_common({}), 1},
        {"logs", "NAME", "Prints what a detached container has written, each stream to its own.",
         usual_status,
         with_common({{group, "f", "follow", nothing, "", "go on until it ends"},
                      {group, "n", "tail", value, "N", "only the last N lines of what is there"},
                      {group, "t", "timestamps", nothing, "", "with the time of each line"}}),
         1, 1},
        {"pause", "NAME...", "Stops all processes of containers where they are.", usual_status,
         with_common({}), 1},
        {"resume", "NAME...", "Lets paused containers go on.", usual_status, with_common({}), 1},
        {"stats", "[NAME...]",
         "Shows what containers use: processor time, memory, processes and threads, and what was read from "
         "and written to\ndevices. Without a name: all that run. As long as they do.",
         usual_status,
         with_common({{group, "", "no-stream", nothing, "", "once, over one second"},
                      {group, "", "json", nothing, "", "a JSON array each time, on a line of its own"}}),
         0},
        {"update", "NAME...", "Changes limits of containers that run. What isn't named stays as it is.",
         usual_status, with_common(limit_options()), 1},
        {"rm", "NAME...", "Removes what is written down about containers that have ended.", usual_status,
         with_common({{group, "f", "force", nothing, "", "also of those that run, which are killed"},
                      {group, "", "wait", value, "SECONDS", "how long they may take to end (default: 30)"}}),
         1},
        {"exec", "NAME COMMAND [ARGUMENT...]", "Runs another command in a running container.",
         "the command's own; 128 + n if signal n ended it; 125 if ctr failed, 126 if the command\n"
         "can't be executed, 127 if there is no such command.",
         with_common(
             {{group, "e", "env", value, "NAME[=VALUE]", "set a variable, or pass on the caller's",
               "<variable>"},
              {group, "w", "workdir", value, "DIR", "directory to start in (default: the container's)"},
              {group, "u", "user", value, "UID[:GID]", "ids inside, as numbers (default: the container's)"},
              {group, "i", "interactive", nothing, "",
               "keep standard input connected: so it always is but with --detach, which leaves it empty"},
              {group, "t", "tty", nothing, "",
               "a terminal of its own, connected to yours: job control, window size, keys such as Ctrl-C"},
              {group, "d", "detach", nothing, "",
               "leave it running; it reads nothing, and what it writes is dropped"},
              {group, "", "status-fd", value, "N",
               "write one JSON object per line about start and end to this descriptor, as ctr run does"}}),
         1, 1, true},
    };
    return verbs;
}

namespace {

Status check_count(const LifeVerb& verb, const LifeCall& call) {
    const auto refuse = [&](const char* why) {
        return fail_input("read the arguments", why, std::string("ctr ") + verb.name + " " + verb.arguments);
    };
    if (call.names.size() < verb.least) return refuse("there is no name of a container");
    if (call.names.size() > verb.most) return refuse("there are too many");
    if (verb.takes_command && call.command.empty()) return refuse("there is no command");
    return {};
}

}  // namespace

const LifeVerb& life_verb(const std::string& name) {
    return *std::ranges::find_if(life_verbs(), [&](const LifeVerb& verb) { return verb.name == name; });
}

Result<LifeCall> parse_life(const LifeVerb& verb, const std::vector<std::string>& arguments) {
    std::vector<std::string> words = arguments;
    std::vector<std::string> command;
    if (verb.takes_command) {
        const size_t own = count_option_words(words, verb.options);
        size_t end = std::min(own + 1, words.size());
        words.resize(end);
        if (end < arguments.size() && arguments[end] == "--") ++end;
        command.assign(arguments.begin() + static_cast<std::ptrdiff_t>(end), arguments.end());
    }
    auto given = Given::read(verb.options, words);
    if (!given) return std::unexpected(std::move(given).error());
    LifeCall call{std::move(*given), {}, std::move(command), {}, {}, false};
    if (auto taken = call.given.take_flag("help", call.help); !taken)
        return std::unexpected(std::move(taken).error());
    if (auto taken = take_log_options(call.given, call.log); !taken)
        return std::unexpected(std::move(taken).error());
    call.names = call.given.rest();
    if (!call.help)
        if (auto good = check_count(verb, call); !good) return std::unexpected(std::move(good).error());
    const auto directories = call.given.of("state-dir");
    call.state_directory = directories.empty() ? "" : directories.back();
    return call;
}

}  // namespace ctr::cmd
