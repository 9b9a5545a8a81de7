// ctr ps: the processes of the containers that run.
#include <iostream>

#include "cmd/life.h"
#include "cmd/messages.h"
#include "cmd/option_table.h"
#include "cmd/print_help.h"
#include "cmd/ps_format.h"
#include "cmd/ps_options.h"
#include "cmd/verbs.h"
#include "runtime/contact.h"
#include "runtime/registry.h"

namespace ctr::cmd {

namespace {

// The first processes of the containers with these names become part of the request.
Status find_names(PsOptions& options) {
    if (options.names.empty()) return {};
    const auto registry = open_registry(options.state_directory, Registry::Access::use);
    if (!registry) return std::unexpected(registry.error());
    for (const std::string& name : options.names) {
        const auto entry = registry->find(name);
        if (!entry) return std::unexpected(entry.error());
        const auto contact = Contact::make(*entry);
        if (!contact) return std::unexpected(contact.error());
        options.request.containers.push_back(contact->init());
    }
    return {};
}

}  // namespace

int ps_verb(const std::vector<std::string>& arguments) {
    auto options = parse_ps(arguments);
    if (!options) return Messages("ps", guess_log_options(arguments, ps_options())).refuse(options.error());
    if (options->help) return print_help("ps");
    const Messages messages("ps", options->log);
    if (const auto found = find_names(*options); !found) return messages.fail(found.error());
    const auto listing = list_processes(options->request);
    if (!listing) return messages.fail(listing.error());
    const auto format = options->json ? as_json : options->tree ? as_tree : as_table;
    std::cout << format(listing->processes) << std::flush;
    for (const std::string& note : listing->notes) messages.note(note);
    if (std::cout) return 0;
    return messages.fail(fail_input("print the list", "standard output takes no more").error());
}

}  // namespace ctr::cmd
