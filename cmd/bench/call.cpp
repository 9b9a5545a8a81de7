#include "cmd/bench/call.h"

#include <algorithm>

#include "cmd/bench_options.h"
#include "cmd/suggestion.h"

namespace ctr::bench {

namespace {

std::unexpected<Error> no_verb(const std::string& name) {
    const std::string step = "read the command line";
    std::vector<std::string_view> names;
    std::string all;
    const auto& verbs = cmd::bench_verbs();
    for (const std::string& verb : verbs) {
        names.emplace_back(verb);
        all += (all.empty() ? "ctr bench " : ", ") + verb;
    }
    if (name.empty()) return fail_input(step, "it isn't said what to do", all);
    return fail_input(
        step, '"' + name + "\" isn't what ctr bench can do" + cmd::did_you_mean(cmd::nearest(name, names)),
        all);
}

// An option of another verb would be passed over in silence.
Status check_options(const std::string& verb, const cmd::Given& given) {
    for (const auto& option : cmd::bench_options())
        if (!given.of(option.name).empty() && !cmd::bench_verb_takes(verb, option))
            return fail_input(std::string("read --") + option.name, "ctr bench " + verb + " doesn't take it");
    return {};
}

}  // namespace

Result<Call> parse_call(const Words& arguments) {
    const auto& table = cmd::bench_options();
    Words words = arguments;
    const size_t at = cmd::count_option_words(words, table);
    std::string verb = at < words.size() ? words[at] : "";
    if (at < words.size()) words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
    const size_t own = cmd::count_option_words(words, table);
    auto operands = words.begin() + static_cast<std::ptrdiff_t>(own);
    auto given = cmd::Given::read(table, {words.begin(), operands});
    if (!given) return std::unexpected(std::move(given).error());
    if (operands != words.end() && *operands == "--") ++operands;
    Call call{std::move(verb),
              std::move(*given),
              {operands, words.end()},
              "ctr bench " + join_words(arguments),
              {},
              false};
    if (auto taken = call.given.take_flag("help", call.help); !taken)
        return std::unexpected(std::move(taken).error());
    if (auto taken = cmd::take_log_options(call.given, call.log); !taken)
        return std::unexpected(std::move(taken).error());
    if (call.help) return call;
    if (std::ranges::count(cmd::bench_verbs(), call.verb) == 0) return no_verb(call.verb);
    if (auto good = check_options(call.verb, call.given); !good) return std::unexpected(good.error());
    return call;
}

Result<std::vector<Configuration>> take_configurations(const cmd::Given& given) {
    std::vector<Configuration> all;
    for (const std::string& text : given.of("config")) {
        auto one = parse_configuration(text);
        if (!one) return std::unexpected(one.error());
        all.push_back(std::move(*one));
    }
    if (all.empty()) all = usual_configurations();
    const auto is_host = [](const Configuration& one) { return one.native() && one.namespaces.empty(); };
    auto first = std::ranges::find_if(all, is_host);
    if (first == all.end()) first = all.insert(all.begin(), usual_configurations().front());
    if (const auto names = given.of("reference"); !names.empty()) {
        first = std::ranges::find(all, names.back(), &Configuration::name);
        if (first == all.end())
            return fail_input("read --reference", '"' + names.back() + "\" is none of the configurations");
    }
    std::rotate(all.begin(), first, first + 1);
    return all;
}

}  // namespace ctr::bench
