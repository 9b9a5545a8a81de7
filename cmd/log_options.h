// How ctr says what it has to say: --log-level and --log-format, which all verbs have.
#pragma once

#include <string>
#include <vector>

#include "cmd/given.h"
#include "runtime/base/error.h"

namespace ctr::cmd {

enum class LogFormat { text, json };

struct LogOptions {
    std::string level = "info";  // a name that spdlog knows
    LogFormat format = LogFormat::text;
};

Status take_log_options(const Given& given, LogOptions& options);

// Of words that may not all be right, for the error that says so: what is wrong in them is passed over.
LogOptions guess_log_options(const std::vector<std::string>& words, const std::vector<Option>& table);

}  // namespace ctr::cmd
