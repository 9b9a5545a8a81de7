// The options of each verb as data: their names, what they take, their group and their help. The parser, the
// help and the search for the first word of the command of `ctr run` all follow from it.
#pragma once

#include <string>
#include <vector>

namespace ctr::cmd {

enum class Takes {
    nothing,
    value,     // --name VALUE, --name=VALUE, -n VALUE, -nVALUE
    optional,  // --name or --name=VALUE
};

struct Option {
    const char* group;
    const char* letter;  // "" if there is none
    const char* name;
    Takes takes;
    const char* value;  // what the value is called in the help; else: the value that --name alone means,
                        // "" for a directory that isn't given
    const char* help;
    const char* candidates = "";  // what the value can be, for completion: words, and <kinds> of them
                                  // (completion.h), parted by blanks
};

// How ctr speaks, and its help: the end of each table.
void append_common(std::vector<Option>& table, const char* group);

const std::vector<Option>& run_options();
const std::vector<Option>& ps_options();
const std::vector<Option>& check_options();
const std::vector<Option>& image_options();
const std::vector<Option>& help_options();
const std::vector<Option>& plain_options();  // of verbs that have none of their own

const Option* by_name(const std::vector<Option>& table, const std::string& name);  // null: there is none

// The option in this word whose value is the next word; null: there is none.
const Option* takes_next_word(const std::string& word, const std::vector<Option>& table);

// Of `ctr run` (or another verb, whose table is given): how many of the words are options and their values:
// the next one, if any, begins the command (or is the
// "--" before it). Unknown options count as taking nothing; the parser refuses them.
size_t count_option_words(const std::vector<std::string>& words,
                          const std::vector<Option>& table = run_options());

// OPTION's value ("--name"), if that is what begins at word I; else empty.
std::string value_at(const std::vector<std::string>& words, size_t i, const std::string& option);

// The words with each value a word of its own that is joined to its letter: -eA=1 as -e A=1. What isn't
// understood stays as it is.
std::vector<std::string> with_values_apart(const std::vector<std::string>& words,
                                           const std::vector<Option>& table);

}  // namespace ctr::cmd
