// ctr __complete: what the shells' scripts ask.
#include <unistd.h>

#include <iostream>

#include "cmd/completion.h"
#include "cmd/own_environment.h"
#include "cmd/printable.h"
#include "cmd/verbs.h"
#include "runtime/registry.h"

namespace ctr::cmd {

namespace {

// A prompt is no place for errors: where nothing can be read there are no names.
std::vector<Candidate> containers(const std::string& state_directory) {
    std::vector<Candidate> found;
    const std::string root = state_directory.empty() ? usual_registry(own_environment()) : state_directory;
    if (access(root.c_str(), X_OK) != 0) return found;  // opening would make it
    const auto registry = Registry::open(root);
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
