#include "cmd/status_report.h"

#include "cmd/values.h"
#include "runtime/status_stream.h"

namespace ctr::cmd {

void report_refusal(const std::vector<std::string>& words, const std::vector<Option>& table,
                    const Error& error) {
    int descriptor = -1;
    for (size_t i = 0, count = count_option_words(words, table); i < count; ++i)
        if (const auto number = parse_descriptor(value_at(words, i, "--status-fd"))) descriptor = *number;
    if (const auto status = StatusStream::open(descriptor)) status->failed(error);
}

}  // namespace ctr::cmd
