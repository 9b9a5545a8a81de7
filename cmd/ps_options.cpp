#include "cmd/ps_options.h"

#include <charconv>

#include "cmd/given.h"

namespace ctr::cmd {

namespace {

Result<HostPid> parse_process(const std::string& text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number <= 0)
        return fail_input("read the arguments", "\"" + text + "\" is no process number",
                          "a number of the column CONTAINER");
    return HostPid(number);
}

}  // namespace

Result<PsOptions> parse_ps(const std::vector<std::string>& arguments) {
    const auto given = Given::read(ps_options(), arguments);
    if (!given) return std::unexpected(given.error());
    PsOptions options;
    Status statuses[] = {
        given->take_flag("all", options.request.all),
        given->take_flag("tree", options.tree),
        given->take_flag("json", options.json),
        given->take_flag("help", options.help),
    };
    for (Status& status : statuses)
        if (!status) return std::unexpected(std::move(status).error());
    for (const std::string& word : given->rest()) {
        const auto process = parse_process(word);
        if (!process) return std::unexpected(process.error());
        options.request.containers.push_back(*process);
    }
    return options;
}

}  // namespace ctr::cmd
