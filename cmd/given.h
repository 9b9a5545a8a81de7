// The words of a command line, sorted by a table of options. Nothing here knows what they mean.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cmd/option_table.h"
#include "runtime/base/error.h"

namespace ctr::cmd {

class Given {
  public:
    using Values = std::vector<std::string>;

    // Unknown options are refused, in the parser's words.
    static Result<Given> read(const std::vector<Option>& table, const std::vector<std::string>& words);

    // What was given for an option, in order; "" for one without a value. Nothing is split (-e A=1,2).
    Values of(const std::string& option) const;

    // All options and their values as they came, for those whose order means something.
    const std::vector<std::pair<std::string, std::string>>& in_order() const { return in_order_; }

    // The words that are no options.
    const Values& rest() const { return rest_; }

    // Sets TO if an option that takes nothing was given.
    Status take_flag(const char* option, bool& to) const;

    // Applies the last value given to an option to TO.
    template <class T, class Parse>
    Status take(const char* option, T& to, Parse parse) const {
        const Values values = of(option);
        if (values.empty()) return {};
        auto value = parse(values.back());
        if (!value) return std::unexpected(value.error());
        to = std::move(*value);
        return {};
    }

  private:
    std::map<std::string, Values> values_;
    std::vector<std::pair<std::string, std::string>> in_order_;
    Values rest_;
};

}  // namespace ctr::cmd
