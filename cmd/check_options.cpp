#include "cmd/check_options.h"

#include "cmd/given.h"

namespace ctr::cmd {

Result<CheckOptions> parse_check(const std::vector<std::string>& arguments) {
    const auto given = Given::read(check_options(), arguments);
    if (!given) return std::unexpected(given.error());
    CheckOptions options;
    options.request.files = given->rest();
    Status statuses[] = {
        given->take("rootfs", options.request.rootfs,
                    [](const std::string& text) { return Result<std::string>(text); }),
        given->take_flag("json", options.json),
        given->take_flag("help", options.help),
        take_log_options(*given, options.log),
    };
    for (Status& status : statuses)
        if (!status) return std::unexpected(std::move(status).error());
    return options;
}

}  // namespace ctr::cmd
