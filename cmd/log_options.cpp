#include "cmd/log_options.h"

#include "cmd/values.h"

namespace ctr::cmd {

Status take_log_options(const Given& given, LogOptions& options) {
    if (auto taken = given.take("log-level", options.level, parse_log_level); !taken) return taken;
    return given.take("log-format", options.format, parse_log_format);
}

LogOptions guess_log_options(const std::vector<std::string>& words, const std::vector<Option>& table) {
    LogOptions options;
    const size_t count = count_option_words(words, table);
    for (size_t i = 0; i < count; ++i) {
        if (auto level = parse_log_level(value_at(words, i, "--log-level"))) options.level = *level;
        if (auto format = parse_log_format(value_at(words, i, "--log-format"))) options.format = *format;
    }
    return options;
}

}  // namespace ctr::cmd
