// ctr check: what this host allows.
#include <iostream>

#include "cmd/check_format.h"
#include "cmd/check_options.h"
#include "cmd/verbs.h"

namespace ctr::cmd {

namespace {

int fail(const Error& error) {
    std::cerr << "ctr check: " << error.message() << '\n';
    return error.exit_code;
}

}  // namespace

int check_verb(const std::vector<std::string>& arguments) {
    const auto options = parse_check(arguments);
    if (!options) {
        const int code = fail(options.error());
        std::cerr << "See ctr check --help.\n";
        return code;
    }
    if (options->help) {
        std::cout << check_help();
        return 0;
    }
    const auto answer = check::check(options->request);
    if (!answer) return fail(answer.error());
    std::cout << (options->json ? as_json(*answer) : as_text(*answer)) << std::flush;
    if (!std::cout) return fail(fail_input("print what was found", "standard output takes no more").error());
    return answer->works ? 0 : 1;
}

}  // namespace ctr::cmd
