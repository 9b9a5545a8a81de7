#include "cmd/bench/configuration.h"

#include <sched.h>

#include <algorithm>
#include <optional>

#include "cmd/options.h"
#include "cmd/suggestion.h"
#include "cmd/values.h"

namespace ctr::bench {

namespace {

struct Kind {
    const char* name;
    Words options;
};
const std::vector<Kind>& table() {
    static const std::vector<Kind> all = {{"host", {}},
                                          {"unnumbered", {"--pidns=host"}},
                                          {"flat", {"--pidns=flat"}},
                                          {"multi", {"--pidns=multi"}},
                                          {"multi:list", {"--pidns=multi", "--pid-lookup=list"}},
                                          {"kernel", {"--pidns=kernel"}}};
    return all;
}

const Kind* kind_of(const std::string& name) {
    const auto found = std::ranges::find(table(), name, &Kind::name);
    return found == table().end() ? nullptr : &*found;
}

const Namespace* namespace_of(const std::string& name) {
    const auto found = std::ranges::find(namespaces(), name, &Namespace::name);
    return found == namespaces().end() ? nullptr : &*found;
}

// A problem of one configuration, quoted.
class Refusal {
  public:
    explicit Refusal(const std::string& text) : step_("read the configuration \"" + text + '"') {}
    std::unexpected<Error> operator()(std::string why, std::string hint = {}) const {
        return fail_input(step_, std::move(why), std::move(hint));
    }
    std::unexpected<Error> because(Error error) const {
        return std::unexpected(std::move(error).within(step_));
    }

  private:
    std::string step_;
};

template <class Table>
std::string names_of(const Table& rows) {
    std::string text;
    for (const auto& row : rows) text += (text.empty() ? "" : ", ") + std::string(row.name);
    return text;
}

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts(1);
    for (const char letter : text)
        if (letter == at)
            parts.emplace_back();
        else
            parts.back() += letter;
    return parts;
}

Status take_name(const std::string& name, const Refusal& refuse, Configuration& configuration) {
    const bool good = !name.empty() && std::ranges::all_of(name, [](char letter) {
        return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
               std::string_view("_.:-").contains(letter);
    });
    if (!good) return refuse('"' + name + "\" is no name", "letters, digits and _ . : -");
    configuration.name = name;
    return {};
}

// "flat@8"
Status take_kind(const std::string& word, const Refusal& refuse, Configuration& configuration) {
    const size_t at = word.find('@');
    configuration.kind = word.substr(0, at);
    if (kind_of(configuration.kind) == nullptr) {
        std::vector<std::string_view> names;
        for (const Kind& kind : table()) names.emplace_back(kind.name);
        return refuse('"' + configuration.kind + "\" is no kind of configuration" +
                          cmd::did_you_mean(cmd::nearest(configuration.kind, names)),
                      "one of " + names_of(table()));
    }
    if (at == std::string::npos) return {};
    if (configuration.native()) return refuse("host is no container, so it has no depth");
    const auto depth = cmd::parse_number("depth", word.substr(at + 1), 1, most_depth);
    if (!depth) return refuse.because(depth.error());
    configuration.depth = *depth;
    return {};
}

// "+uts"
Status take_namespace(const std::string& word, const Refusal& refuse, Configuration& configuration) {
    const bool with = word.starts_with('+');
    if (!with && !word.starts_with('-'))
        return refuse('"' + word + "\" is neither +NAMESPACE nor -NAMESPACE");
    const Namespace* which = namespace_of(word.substr(1));
    if (which == nullptr)
        return refuse('"' + word.substr(1) + "\" is no kind of namespace",
                      "one of " + names_of(namespaces()));
    if (configuration.native() && !with) return refuse("outside of a container there is none to be without");
    if (configuration.native() && which->flag == 0)
        return refuse(std::string("outside, a namespace ") + which->name + " can't be had by itself");
    if (!configuration.native() && which->with == nullptr)
        return refuse(
            std::string("whether a container has a namespace ") + which->name + " isn't ctr run's to choose",
            std::string("host,+") + which->name + " measures it by itself");
    configuration.namespaces.push_back(word);
    return {};
}

Status check_options(const Refusal& refuse, const Configuration& configuration) {
    if (configuration.options.empty()) return {};
    if (configuration.native()) return refuse("host is no container, so it takes no options of ctr run");
    Words words = configuration.options;
    words.insert(words.end(), {"--", "true"});
    const auto parsed = cmd::parse_run(words, {});
    if (!parsed) return refuse.because(parsed.error());
    if (parsed->spec.command != Words{"true"})
        return refuse('"' + parsed->spec.command.front() + "\" is no option of ctr run");
    if (parsed->help || parsed->dry_run || parsed->detach || parsed->spec.registration ||
        parsed->spec.terminal || parsed->spec.status_fd >= 0)
        return refuse("what is measured runs in the foreground, without a name and without a terminal");
    return {};
}

}  // namespace

std::vector<std::string> kinds() {
    std::vector<std::string> names;
    for (const Kind& kind : table()) names.emplace_back(kind.name);
    return names;
}

const std::vector<Namespace>& namespaces() {
    static const std::vector<Namespace> all = {
        {"uts", CLONE_NEWUTS, "--uts=private", "--uts=host"},
        {"ipc", CLONE_NEWIPC, "--ipc=private", "--ipc=host"},
        {"net", CLONE_NEWNET, "--network=none", "--network=host"},
        {"cgroup", CLONE_NEWCGROUP, "--cgroupns=private", "--cgroupns=host"},
        {"time", CLONE_NEWTIME, "--time=private", "--time=host"},
        {"mnt", CLONE_NEWNS, nullptr, nullptr},
        {"pid", CLONE_NEWPID, nullptr, nullptr},
        {"user", 0, "--userns=yes", "--userns=no"}};
    return all;
}

Result<Configuration> parse_configuration(const std::string& text) {
    const Refusal refuse(text);
    auto words = split_words(text);
    if (!words) return refuse.because(words.error());
    if (words->empty()) return refuse("it is empty", "one of " + names_of(table()));
    Configuration configuration;
    std::string first = words->front();
    configuration.options.assign(words->begin() + 1, words->end());
    if (const size_t equals = first.find('='); equals != std::string::npos) {
        if (auto taken = take_name(first.substr(0, equals), refuse, configuration); !taken)
            return std::unexpected(taken.error());
        first.erase(0, equals + 1);
    }
    const auto parts = split(first, ',');
    if (auto taken = take_kind(parts.front(), refuse, configuration); !taken)
        return std::unexpected(taken.error());
    for (size_t i = 1; i < parts.size(); ++i)
        if (auto taken = take_namespace(parts[i], refuse, configuration); !taken)
            return std::unexpected(taken.error());
    if (auto good = check_options(refuse, configuration); !good) return std::unexpected(good.error());
    if (configuration.name.empty()) configuration.name = to_text(configuration);
    return configuration;
}

std::string to_text(const Configuration& configuration) {
    std::string text = configuration.kind;
    if (configuration.depth > 1) text += '@' + std::to_string(configuration.depth);
    for (const std::string& one : configuration.namespaces) text += ',' + one;
    if (!configuration.options.empty()) text += ' ' + join_words(configuration.options);
    const bool named = !configuration.name.empty() && configuration.name != text;
    return named ? configuration.name + '=' + text : text;
}

std::vector<Configuration> usual_configurations() {
    std::vector<Configuration> all;
    for (const char* kind : {"host", "flat", "multi", "kernel"}) {
        Configuration one;
        one.name = one.kind = kind;
        all.push_back(std::move(one));
    }
    return all;
}

Words command_line(const Configuration& configuration, const std::string& ctr, const Words& command,
                   bool root) {
    Words line;
    if (configuration.native()) return command;
    const Words& of_kind = kind_of(configuration.kind)->options;
    for (unsigned level = 0; level < configuration.depth; ++level) {
        line.insert(line.end(), {ctr, "run"});
        line.insert(line.end(), of_kind.begin(), of_kind.end());
        if (root && level + 1 < configuration.depth) line.emplace_back("--cap-add=SYS_ADMIN");
        if (level == 0) {
            line.emplace_back("--die-with-parent");
            for (const std::string& one : configuration.namespaces) {
                const Namespace* which = namespace_of(one.substr(1));
                line.emplace_back(one.starts_with('+') ? which->with : which->without);
            }
            line.insert(line.end(), configuration.options.begin(), configuration.options.end());
        }
        line.emplace_back("--");
    }
    line.insert(line.end(), command.begin(), command.end());
    return line;
}

bool has_own_root(const Configuration& configuration) {
    Words words = configuration.options;
    words.insert(words.end(), {"--", "true"});
    const auto parsed = cmd::parse_run(words, {});
    return parsed && !parsed->spec.rootfs.empty();
}

}  // namespace ctr::bench
