// What makes a shell complete ctr's words: scripts that ask ctr itself (completion.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ctr::cmd {

struct Shell {
    std::string_view name;
    std::string_view script;
};
const std::vector<Shell>& shells();

}  // namespace ctr::cmd
