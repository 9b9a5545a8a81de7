// ctr __complete: what the shells' scripts ask.
#include <iostream>

#include "cmd/completion.h"
#include "cmd/life.h"
#include "cmd/own_environment.h"
#include "cmd/printable.h"
#include "cmd/verbs.h"
#include "runtime/registry.h"

namespace ctr::cmd {

namespace {

// A prompt is no place for errors: where nothing can be read there are no names.
std::vector<Candidate> containers(const std::string& state_directory) {
    std::vector<Candidate> found;
    const auto registry = open_registry(state_directory, Registry::Access::look);
    if (!registry) return found;
    const auto entries = registry->all();
    if (!entries) return found;
    for (const Entry& entry : *entries)
        if (const auto state = entry.read()) {
            std::string text = ctr::word_for(state->status);
            for (const std::string& word : state->command) text += ' ' + printable(word);
            found.push_back({entry.name(), text});
        }
    return found;
}

}  // namespace

int complete_verb(const std::vector<std::string>& arguments) {
    std::cout << to_lines(complete(arguments, {containers, own_environment()})) << std::flush;
    return 0;
}

}  // namespace ctr::cmd
