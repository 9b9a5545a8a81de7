#include "cmd/bench/verbs.h"

#include <algorithm>

#include "cmd/bench/measure.h"
#include "cmd/bench_options.h"
#include "cmd/messages.h"
#include "cmd/print_help.h"
#include "cmd/verbs.h"

namespace ctr::cmd {

namespace {

struct Verb {
    const char* name;
    Result<int> (*run)(const bench::Call& call);
    bool operands = false;  // whether it takes any
};
constexpr Verb verbs[] = {{"run", bench::run_verb, true},   {"compare", bench::compare_verb, true},
                          {"seeds", bench::seeds_verb},     {"io", bench::io_verb},
                          {"scaling", bench::scaling_verb}, {"list", bench::list_verb}};

// parse_call() knows the same names (bench_options.h): another one is a bug.
const Verb& verb_of(const std::string& name) {
    return *std::ranges::find_if(verbs, [&](const Verb& verb) { return name == verb.name; });
}

}  // namespace

int bench_verb(const std::vector<std::string>& arguments) {
    const auto call = bench::parse_call(arguments);
    if (!call) return Messages("bench", guess_log_options(arguments, bench_options())).refuse(call.error());
    if (call->help) return print_help("bench");
    const Messages messages("bench", call->log);
    const Verb& verb = verb_of(call->verb);
    if (!call->operands.empty() && !verb.operands)
        return messages.refuse(
            fail_input("read the arguments", '"' + call->operands.front() + "\" is one too many").error());
    const auto code = verb.run(*call);
    return code ? *code : messages.fail(code.error());
}

int measure_verb(const std::vector<std::string>& arguments) {
    return bench::measure_inside(arguments);
}

}  // namespace ctr::cmd
