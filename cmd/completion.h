// What the words of a command line can go on with. The shells' scripts (shells.h) ask `ctr __complete WORDS`.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ctr::cmd {

struct Candidate {
    std::string word;
    std::string text;  // what it is
    bool operator==(const Candidate&) const = default;
};

// What the shell itself completes, beside the candidates.
enum class Beside {
    nothing,
    files,        // names of files, behind the first `at` letters of the word
    directories,  // likewise
    command,      // the words from number `at` on are a command line of their own
};

struct Completion {
    std::vector<Candidate>
        candidates;  // whole words; the shell drops those that don't begin as the word does
    Beside beside = Beside::nothing;
    size_t at = 0;
};

// What only the caller's surroundings know.
struct Surroundings {
    std::function<std::vector<Candidate>(const std::string& state_directory)> containers;
    std::vector<std::string> environment;  // K=V
};

// WORDS: what follows "ctr", the last of them the one that is to be completed, perhaps empty.
Completion complete(const std::vector<std::string>& words, const Surroundings& surroundings);

// As the scripts read it: ":WHAT AT" first, then a line for each candidate, with a tab before what it is.
std::string to_lines(const Completion& completion);

}  // namespace ctr::cmd
