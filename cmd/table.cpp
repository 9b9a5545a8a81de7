#include "cmd/table.h"

#include <algorithm>

namespace ctr::cmd {

std::string aligned(const Rows& rows) {
    std::vector<size_t> widths(rows.front().size());
    for (const auto& row : rows)
        for (size_t i = 0; i < row.size(); ++i) widths.at(i) = std::max(widths.at(i), row[i].size());
    std::string text;
    for (const auto& row : rows)
        for (size_t i = 0; i < row.size(); ++i) {
            const bool last = i + 1 == row.size();
            text += row[i] + (last ? "\n" : std::string(widths[i] - row[i].size() + 2, ' '));
        }
    return text;
}

}  // namespace ctr::cmd
