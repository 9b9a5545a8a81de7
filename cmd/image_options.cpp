#include "cmd/image_options.h"

#include "cmd/given.h"

namespace ctr::cmd {

Result<ImageOptions> parse_image(const std::vector<std::string>& arguments) {
    const auto given = Given::read(image_options(), arguments);
    if (!given) return std::unexpected(given.error());
    ImageOptions options;
    Status statuses[] = {given->take_flag("json", options.json), given->take_flag("help", options.help),
                         take_log_options(*given, options.log)};
    for (Status& status : statuses)
        if (!status) return std::unexpected(std::move(status).error());
    if (options.help) return options;
    if (given->rest().size() != 1)
        return fail_input("read the arguments",
                          given->rest().empty() ? "there is no file" : "there is more than one file",
                          "ctr image FILE");
    options.file = given->rest().front();
    return options;
}

}  // namespace ctr::cmd
