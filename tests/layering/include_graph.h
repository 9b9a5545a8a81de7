// The rule of the house, checked: which room may include which. Rooms are directories from the top of the
// repository, and the longest one that holds a file is its room.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ctr::test {

struct Violation {
    std::string file;  // from the top
    int line = 0;
    std::string why;
};

// Judges one file by its text.
std::vector<Violation> check_file(std::string_view file, std::string_view text);

// Judges every source and header below the top's rooms. A file outside of all rooms is a violation too.
std::vector<Violation> check_tree(const std::filesystem::path& top);

// How many files check_tree() looks at: a check that looks at nothing passes for the wrong reason.
size_t count_sources(const std::filesystem::path& top);

}  // namespace ctr::test
