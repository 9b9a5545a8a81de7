#include "cmd/completion.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <sstream>

#include "cmd/manual.h"
#include "runtime/caps.h"
#include "runtime/ulimit.h"

namespace ctr::cmd {

namespace {

std::vector<Candidate> plain(const std::vector<std::string>& words) {
    std::vector<Candidate> candidates;
    candidates.reserve(words.size());
    for (const std::string& word : words) candidates.push_back({word, ""});
    return candidates;
}

std::vector<Candidate> signals() {
    std::vector<Candidate> found;
    for (int number = 1; number < NSIG; ++number)
        if (const char* name = sigabbrev_np(number)) found.push_back({name, sigdescr_np(number)});
    return found;
}

std::vector<Candidate> capabilities() {
    return plain(caps::names());
}

std::vector<Candidate> ulimits() {
    std::vector<Candidate> found;
    const auto names = ulimit_names();
    found.reserve(names.size());
    for (const std::string& name : names) found.push_back({name + "=", ""});
    return found;
}

std::vector<Candidate> verbs() {
    std::vector<Candidate> found;
    found.reserve(manuals().size());
    for (const Manual& manual : manuals()) found.push_back({manual.verb, manual.summary});
    return found;
}

std::vector<Candidate> variables(const std::vector<std::string>& environment) {
    std::vector<std::string> names;
    names.reserve(environment.size());
    for (const std::string& variable : environment) names.push_back(variable.substr(0, variable.find('=')));
    return plain(names);
}

// The words before the last one, as far as they matter for it.
struct Read {
    std::string state_directory;
    const Option* awaiting = nullptr;  // its value is the last word
    bool options_are_over = false;     // "--"
    std::vector<size_t> operands;      // at which words
};

Read read_words(const std::vector<std::string>& words, const Manual& manual) {
    Read read;
    const auto ends_options = [&] {
        const std::string next = read.operands.empty() ? manual.operands.first : manual.operands.others;
        return next == "<command>";
    };
    for (size_t i = 1; i + 1 < words.size(); ++i) {
        const std::string& word = words[i];
        if (!read.options_are_over && word == "--") {
            read.options_are_over = true;
        } else if (!read.options_are_over && word.size() > 1 && word[0] == '-') {
            const Option* option = takes_next_word(word, *manual.options);
            if (word.starts_with("--state-dir=")) read.state_directory = word.substr(word.find('=') + 1);
            if (option == nullptr) continue;
            if (++i + 1 == words.size())
                read.awaiting = option;
            else if (std::strcmp(option->name, "state-dir") == 0)
                read.state_directory = words[i];
        } else {
            read.options_are_over = read.options_are_over || ends_options();
            read.operands.push_back(i);
        }
    }
    return read;
}

class Completer {
  public:
    Completer(const std::vector<std::string>& words, const Manual& manual, const Surroundings& surroundings)
        : word_(words.back()), last_(words.size() - 1), manual_(manual), surroundings_(surroundings) {
        read_ = read_words(words, manual);
    }

    Completion take() {
        const size_t equals = word_.find('=');
        if (read_.awaiting != nullptr)
            offer(read_.awaiting->candidates, 0);
        else if (!read_.options_are_over && word_.starts_with("--") && equals != std::string::npos)
            offer_value_of(word_.substr(2, equals - 2), equals + 1);
        else if (!read_.options_are_over && word_.starts_with('-'))
            offer_options();
        else
            offer_operand();
        return std::move(found_);
    }

  private:
    void offer_options() {
        for (const Option& option : *manual_.options)
            found_.candidates.push_back({std::string("--") + option.name, option.help});
    }
    void offer_value_of(const std::string& name, size_t begin) {
        if (const Option* option = by_name(*manual_.options, name);
            option != nullptr && option->takes != Takes::nothing)
            offer(option->candidates, begin);
    }
    void offer_operand() {
        const bool first = read_.operands.empty();
        // Once a command line has begun it goes on to the end.
        const bool inside = !first && std::string(manual_.operands.first) == "<command>";
        offer(first || inside ? manual_.operands.first : manual_.operands.others, 0);
    }

    // KINDS: as Option::candidates. The value is what stands behind the first BEGIN letters of the word.
    void offer(const std::string& kinds, size_t begin) {
        std::istringstream words(kinds);
        for (std::string kind; words >> kind;) {
            if (const Beside beside = beside_for(kind); beside != Beside::nothing) {
                found_.beside = beside;
                found_.at = beside == Beside::command ? command_begins() : begin;
                continue;
            }
            for (Candidate& candidate : of_kind(kind)) {
                candidate.word.insert(0, word_, 0, begin);
                found_.candidates.push_back(std::move(candidate));
            }
        }
    }
    static Beside beside_for(const std::string& kind) {
        if (kind == "<file>") return Beside::files;
        if (kind == "<directory>") return Beside::directories;
        if (kind == "<command>") return Beside::command;
        return Beside::nothing;
    }
    std::vector<Candidate> of_kind(const std::string& kind) const {
        if (kind == "<signal>") return signals();
        if (kind == "<capability>") return capabilities();
        if (kind == "<ulimit>") return ulimits();
        if (kind == "<verb>") return verbs();
        if (kind == "<variable>") return variables(surroundings_.environment);
        if (kind == "<container>") return surroundings_.containers(read_.state_directory);
        return {{kind, ""}};
    }
    size_t command_begins() const {
        const size_t own = std::string(manual_.operands.first) == "<command>" ? 0 : 1;  // operands before it
        return read_.operands.size() > own ? read_.operands[own] : last_;
    }

    std::string word_;
    size_t last_;
    const Manual& manual_;
    const Surroundings& surroundings_;
    Read read_;
    Completion found_;
};

const char* word_for(Beside beside) {
    switch (beside) {
        case Beside::nothing: break;
        case Beside::files: return "files";
        case Beside::directories: return "directories";
        case Beside::command: return "command";
    }
    return "nothing";
}

// One line of a terminal.
std::string shortened(const std::string& text) {
    constexpr size_t most = 72;
    return text.size() <= most ? text : text.substr(0, text.rfind(' ', most - 4)) + " ...";
}

}  // namespace

namespace {

// Options that stand before the verb are the verb's: it comes first, where it is among them; a value that is
// one of theirs is completed as a value of ctr run's. The word that is completed is no option here.
std::vector<std::string> with_verb_first(std::vector<std::string> words) {
    std::vector<std::string> begun = words;
    begun.back() = "word";
    const size_t verb = count_option_words(begun);
    if (verb == words.size())
        words.insert(words.begin(), "run");
    else if (verb + 1 < words.size())
        std::rotate(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(verb),
                    words.begin() + static_cast<std::ptrdiff_t>(verb) + 1);
    else
        words.erase(words.begin(), words.end() - 1);
    return words;
}

}  // namespace

Completion complete(const std::vector<std::string>& given, const Surroundings& surroundings) {
    if (given.empty()) return {};
    const std::vector<std::string> words = with_verb_first(given);
    if (words.size() > 1) {
        const Manual* manual = manual_of(words.front());
        return manual == nullptr ? Completion{} : Completer(words, *manual, surroundings).take();
    }
    if (!words.front().starts_with('-')) return {verbs(), Beside::nothing, 0};
    return {{{"--help", "print the help"}, {"--version", "print the version"}}, Beside::nothing, 0};
}

std::string to_lines(const Completion& completion) {
    std::string lines =
        std::string(":") + word_for(completion.beside) + " " + std::to_string(completion.at) + "\n";
    for (const Candidate& candidate : completion.candidates)
        lines += candidate.word + (candidate.text.empty() ? "" : "\t" + shortened(candidate.text)) + "\n";
    return lines;
}

}  // namespace ctr::cmd
