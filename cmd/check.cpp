// ctr check: what this host allows.
#include <iostream>

#include "cmd/check_format.h"
#include "cmd/check_options.h"
#include "cmd/messages.h"
#include "cmd/option_table.h"
#include "cmd/print_help.h"
#include "cmd/verbs.h"

namespace ctr::cmd {

int check_verb(const std::vector<std::string>& arguments) {
    const auto options = parse_check(arguments);
    if (!options)
        return Messages("check", guess_log_options(arguments, check_options())).refuse(options.error());
    if (options->help) return print_help("check");
    const Messages messages("check", options->log);
    const auto answer = check::check(options->request);
    if (!answer) return messages.fail(answer.error());
    std::cout << (options->json ? as_json(*answer) : as_text(*answer)) << std::flush;
    if (!std::cout)
        return messages.fail(fail_input("print what was found", "standard output takes no more").error());
    return answer->works ? 0 : 1;
}

}  // namespace ctr::cmd
