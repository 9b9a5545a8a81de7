// ctr list: the containers that have a name.
#include <iostream>

#include "cmd/life.h"
#include "cmd/printable.h"
#include "cmd/table.h"
#include "cmd/verbs.h"

namespace ctr::cmd {

namespace {

std::vector<State> states_in(const Registry& registry) {
    std::vector<State> states;
    const auto entries = registry.all();
    if (!entries) return states;
    // One that has gone meanwhile isn't missed.
    for (const Entry& entry : *entries)
        if (auto state = entry.read()) states.push_back(std::move(*state));
    return states;
}

std::string status_of(const State& state) {
    std::string text = word_for(state.status);
    if (state.status == LifeStatus::stopped)
        text += state.exit ? " (" + std::to_string(state.exit->status) + ")" : " (killed)";
    return text;
}

std::string command_of(const State& state) {
    std::string text;
    for (const std::string& word : state.command) text += (text.empty() ? "" : " ") + printable(word);
    return text;
}

std::string as_array(const std::vector<State>& states) {
    std::string text;
    for (const State& state : states) text += (text.empty() ? "" : ",\n") + to_json(state);
    return text.empty() ? "[]\n" : "[\n" + text + "]\n";
}

void print_table(const std::vector<State>& states) {
    Rows rows{{"NAME", "STATUS", "PID", "PIDNS", "CREATED", "COMMAND"}};
    for (const State& state : states)
        rows.push_back({state.id, status_of(state),
                        state.pid == HostPid::none ? "-" : std::to_string(raw(state.pid)),
                        printable(state.pidns), printable(state.created.substr(0, state.created.find('.'))),
                        command_of(state)});
    std::cout << aligned(rows);
}

}  // namespace

int list_verb(const std::vector<std::string>& arguments) {
    return with_registry("list", arguments,
                         [](const LifeCall& call, const Registry& registry) -> Result<int> {
                             bool json = false;
                             bool quiet = false;
                             if (auto taken = call.given.take_flag("json", json); !taken)
                                 return std::unexpected(std::move(taken).error());
                             if (auto taken = call.given.take_flag("quiet", quiet); !taken)
                                 return std::unexpected(std::move(taken).error());
                             const auto states = states_in(registry);
                             if (json)
                                 std::cout << as_array(states);
                             else if (quiet)
                                 for (const State& state : states) std::cout << state.id << '\n';
                             else
                                 print_table(states);
                             return 0;
                         });
}

}  // namespace ctr::cmd
