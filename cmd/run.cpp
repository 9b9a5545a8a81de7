// ctr run: a container in the foreground.
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <iostream>

#include "cmd/options.h"
#include "cmd/own_environment.h"
#include "cmd/verbs.h"
#include "runtime/container.h"
#include "runtime/explain.h"
#include "runtime/fastpath.h"
#include "runtime/isolation.h"
#include "runtime/plan.h"
#include "runtime/subids.h"

namespace ctr::cmd {

namespace {

int fail(const Error& error) {
    std::cerr << "ctr run: " << error.message() << '\n';
    if (is_foreseen(error)) std::cerr << "  see: ctr check, which says what this host allows\n";
    return error.exit_code;
}

void start_logging(const std::string& level) {
    auto logger = spdlog::stderr_logger_st("ctr");
    logger->set_pattern("ctr: %l: %v");
    logger->set_level(spdlog::level::from_str(level));
    spdlog::set_default_logger(std::move(logger));
}

spdlog::level::level_enum level_of(const Notice& notice) {
    switch (notice.kind) {
        case Notice::Kind::detail: return spdlog::level::debug;
        case Notice::Kind::information: return spdlog::level::info;
        case Notice::Kind::warning: break;
    }
    return spdlog::level::warn;
}

int print_plan(const Spec& spec) {
    auto facts = read_host_facts();
    if (!facts) return fail(facts.error());
    if (wants_subids(spec.userns)) subids::read(*facts);
    auto shared = look_at_shared(spec, *facts);
    if (!shared) return fail(shared.error());
    isolation::look(spec, *facts);
    const auto plan = make_plan(spec, *facts, fastpath::outline(spec, *facts).placements, std::move(*shared));
    if (!plan) return fail(plan.error());
    for (const std::string& warning : plan->warnings) std::cerr << "ctr: warning: " << warning << '\n';
    std::cout << describe(*plan);
    return 0;
}

}  // namespace

int run_verb(const std::vector<std::string>& arguments) {
    const auto options = parse_run(arguments, own_environment());
    if (!options) {
        const int code = fail(options.error());
        std::cerr << "See ctr run --help.\n";
        return code;
    }
    if (options->help) {
        std::cout << run_help();
        return 0;
    }
    if (options->dry_run) return print_plan(options->spec);
    start_logging(options->log_level);
    const Notify notify = [](const Notice& notice) { spdlog::log(level_of(notice), "{}", notice.text); };
    if (options->detach) {
        const auto name = start_detached(options->spec, notify);
        if (!name) return fail(name.error());
        std::cout << *name << '\n' << std::flush;
        return 0;
    }
    const auto code = run(options->spec, notify);
    return code ? *code : fail(code.error());
}

}  // namespace ctr::cmd
