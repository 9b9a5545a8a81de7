#include "cmd/given.h"

// A list option gets one element for each time that it is given. Before the header. Without the regular
// expressions, which cost a start more than all else that reads options.
#define CXXOPTS_VECTOR_DELIMITER '\0'
#define CXXOPTS_NO_REGEX
#include <algorithm>
#include <cxxopts.hpp>
#include <string_view>

#include "cmd/suggestion.h"

namespace ctr::cmd {

namespace {

// The library's words, with quotes that every terminal can show.
std::string plain(const std::string& message) {
    std::string text;
    for (size_t i = 0; i < message.size(); ++i) {
        if (message.compare(i, 3, "\u2018") == 0 || message.compare(i, 3, "\u2019") == 0) {
            text += '"';
            i += 2;
        } else {
            text += message[i];
        }
    }
    return text;
}

// For a word that is no option of the table.
std::string suggestion(const std::vector<Option>& table, const std::vector<std::string>& words) {
    std::vector<std::string_view> names;
    names.reserve(table.size());
    for (const Option& option : table) names.emplace_back(option.name);
    for (const std::string& word : words) {
        const std::string name = word.substr(std::min<size_t>(2, word.size()), word.find('=') - 2);
        if (word == "--") break;
        if (!word.starts_with("--") || by_name(table, name) != nullptr) continue;
        const std::string near = nearest(name, names);
        return did_you_mean(near.empty() ? "" : "--" + near);
    }
    return {};
}

// A word may be, or hold, this option: by its name, or by its letter among others.
bool may_be_in(const std::string& word, const Option& option) {
    if (word.starts_with("--"))
        return word.compare(2, std::string_view(option.name).size(), option.name) == 0;
    return word.starts_with('-') && *option.letter != 0 && word.find(*option.letter) != std::string::npos;
}

// Those that no word can mean aren't made: each costs as much as all else that is done about it.
cxxopts::Options make_options(const std::vector<Option>& table, const std::vector<std::string>& words) {
    cxxopts::Options options("ctr");
    for (const Option& option : table) {
        if (std::ranges::none_of(words, [&](const std::string& word) { return may_be_in(word, option); }))
            continue;
        const std::string names =
            *option.letter == 0 ? option.name : std::string(option.letter) + "," + option.name;
        auto value = cxxopts::value<Given::Values>();
        if (option.takes != Takes::value) value->implicit_value(option.value);
        options.add_option("", {names, "", value});  // help is ours (help.cpp)
    }
    return options;
}

}  // namespace

Result<Given> Given::read(const std::vector<Option>& table, const std::vector<std::string>& given_words) {
    // Without regular expressions the library knows no values that are joined to a letter.
    const auto words = with_values_apart(given_words, table);
    std::vector<const char*> arguments{"ctr"};
    for (const std::string& word : words) arguments.push_back(word.c_str());
    Given given;
    try {
        auto parser = make_options(table, words);
        const auto parsed = parser.parse(static_cast<int>(arguments.size()), arguments.data());
        for (const Option& option : table)
            if (parsed.count(option.name) != 0) given.values_[option.name] = parsed[option.name].as<Values>();
        for (const auto& argument : parsed.arguments())
            given.in_order_.emplace_back(argument.key(), argument.value());
        given.rest_ = parsed.unmatched();
    } catch (const cxxopts::exceptions::no_such_option& problem) {
        return fail_input("read the options", plain(problem.what()) + suggestion(table, words));
    } catch (const cxxopts::exceptions::exception& problem) {
        return fail_input("read the options", plain(problem.what()));
    }
    return given;
}

Given::Values Given::of(const std::string& option) const {
    const auto found = values_.find(option);
    return found == values_.end() ? Values() : found->second;
}

Status Given::take_flag(const char* option, bool& to) const {
    for (const std::string& value : of(option)) {
        if (!value.empty())
            return fail_input(std::string("read --") + option,
                              "it takes no value, but got \"" + value + "\"");
        to = true;
    }
    return {};
}

}  // namespace ctr::cmd
