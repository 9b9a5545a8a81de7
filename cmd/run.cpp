// ctr run: a container in the foreground.
#include <iostream>

#include "cmd/messages.h"
#include "cmd/option_table.h"
#include "cmd/options.h"
#include "cmd/own_environment.h"
#include "cmd/print_help.h"
#include "cmd/status_report.h"
#include "cmd/verbs.h"
#include "runtime/container.h"
#include "runtime/fastpath.h"
#include "runtime/isolation.h"
#include "runtime/plan.h"
#include "runtime/subids.h"

namespace ctr::cmd {

namespace {

int print_plan(const Spec& spec, const Messages& messages) {
    auto facts = read_host_facts();
    if (!facts) return messages.fail(facts.error());
    if (wants_subids(spec.userns)) subids::read(*facts);
    auto shared = look_at_shared(spec, *facts);
    if (!shared) return messages.fail(shared.error());
    isolation::look(spec, *facts);
    const auto plan = make_plan(spec, *facts, fastpath::outline(spec, *facts).placements, std::move(*shared));
    if (!plan) return messages.fail(plan.error());
    for (const std::string& warning : plan->warnings) messages.notice({Notice::Kind::warning, warning});
    std::cout << describe(*plan);
    return 0;
}

}  // namespace

int run_verb(const std::vector<std::string>& arguments) {
    const auto options = parse_run(arguments, own_environment());
    if (!options) {
        report_refusal(arguments, run_options(), options.error());
        return Messages("run", guess_log_options(arguments, run_options())).refuse(options.error());
    }
    if (options->help) return print_help("run");
    const auto& registration = options->spec.registration;
    const Messages messages("run", options->log, registration ? registration->name : "");
    if (options->dry_run) return print_plan(options->spec, messages);
    const Notify notify = [&](const Notice& notice) { messages.notice(notice); };
    if (options->detach) {
        const auto name = start_detached(options->spec, notify);
        if (!name) return messages.fail(name.error());
        std::cout << *name << '\n' << std::flush;
        return 0;
    }
    const auto code = run(options->spec, notify);
    return code ? *code : messages.fail(code.error());
}

}  // namespace ctr::cmd
