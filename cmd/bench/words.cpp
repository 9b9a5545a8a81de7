#include <optional>

#include "cmd/bench/configuration.h"

namespace ctr::bench {

namespace {

constexpr const char* blanks = " \t\n";

bool is_plain(char letter) {
    constexpr std::string_view beside = "_-./:=,+@%";
    const bool alphanumeric = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                              (letter >= '0' && letter <= '9');
    return alphanumeric || beside.find(letter) != std::string_view::npos;
}

std::string quoted(const std::string& word) {
    bool plain = !word.empty();
    for (const char letter : word) plain = plain && is_plain(letter);
    if (plain) return word;
    std::string text = "'";
    for (const char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return text + "'";
}

}  // namespace

Result<Words> split_words(const std::string& text) {
    Words words;
    std::optional<std::string> word;
    char quote = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        const char letter = text[i];
        if (quote == 0 && std::string_view(blanks).find(letter) != std::string_view::npos) {
            if (word) words.push_back(*std::exchange(word, std::nullopt));
            continue;
        }
        if (!word) word.emplace();
        if (letter == '\\' && quote != '\'') {
            if (i + 1 == text.size()) return fail_input("read \"" + text + "\"", "it ends with a backslash");
            *word += text[++i];
        } else if (quote == 0 && (letter == '\'' || letter == '"')) {
            quote = letter;
        } else if (quote == letter) {
            quote = 0;
        } else {
            *word += letter;
        }
    }
    if (quote != 0) return fail_input("read \"" + text + "\"", std::string("there is no second ") + quote);
    if (word) words.push_back(std::move(*word));
    return words;
}

std::string join_words(const Words& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + quoted(word);
    return text;
}

}  // namespace ctr::bench
