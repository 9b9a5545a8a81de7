// ctr ps: the processes of the containers that run.
#include <iostream>

#include "cmd/ps_format.h"
#include "cmd/ps_options.h"
#include "cmd/verbs.h"

namespace ctr::cmd {

namespace {

int fail(const Error& error) {
    std::cerr << "ctr ps: " << error.message() << '\n';
    return error.exit_code;
}

}  // namespace

int ps_verb(const std::vector<std::string>& arguments) {
    const auto options = parse_ps(arguments);
    if (!options) {
        const int code = fail(options.error());
        std::cerr << "See ctr ps --help.\n";
        return code;
    }
    if (options->help) {
        std::cout << ps_help();
        return 0;
    }
    const auto listing = list_processes(options->request);
    if (!listing) return fail(listing.error());
    const auto format = options->json ? as_json : options->tree ? as_tree : as_table;
    std::cout << format(listing->processes) << std::flush;
    for (const std::string& note : listing->notes) std::cerr << "ctr ps: note: " << note << '\n';
    if (std::cout) return 0;
    return fail(fail_input("print the list", "standard output takes no more").error());
}

}  // namespace ctr::cmd
