#include "cmd/ps_options.h"

#include <charconv>

#include "cmd/given.h"
#include "runtime/state.h"

namespace ctr::cmd {

namespace {

// A number of a process, or the name of a container.
Status take_word(const std::string& text, PsOptions& options) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc{} && end == text.data() + text.size() && number > 0) {
        options.request.containers.push_back(HostPid(number));
        return {};
    }
    if (!check_new_name(text))  // digits alone are a process
        return fail_input("read the arguments",
                          "\"" + text + "\" is no process number and no name of a container",
                          "a number of the column CONTAINER, or a name that ctr list shows");
    options.names.push_back(text);
    return {};
}

}  // namespace

Result<PsOptions> parse_ps(const std::vector<std::string>& arguments) {
    const auto given = Given::read(ps_options(), arguments);
    if (!given) return std::unexpected(given.error());
    PsOptions options;
    Status statuses[] = {
        given->take_flag("all", options.request.all), given->take_flag("tree", options.tree),
        given->take_flag("json", options.json),       given->take_flag("help", options.help),
        take_log_options(*given, options.log),
    };
    for (Status& status : statuses)
        if (!status) return std::unexpected(std::move(status).error());
    for (const std::string& word : given->rest())
        if (auto taken = take_word(word, options); !taken) return std::unexpected(std::move(taken).error());
    const auto directories = given->of("state-dir");
    options.state_directory = directories.empty() ? "" : directories.back();
    return options;
}

}  // namespace ctr::cmd
