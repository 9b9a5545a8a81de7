// What somebody may have meant who mistyped a word. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ctr::cmd {

// The one of the words that is nearest to TEXT: so many letters wrong, missing, too many or swapped with
// their neighbour; or that it is the beginning of, if of only one. Empty: none is near enough.
std::string nearest(std::string_view text, const std::vector<std::string_view>& words);

// ": did you mean X?", for the end of an error's reason; empty if X is.
// What to say of another launcher's verb of that name; empty: nothing is known of it.
std::string familiar_verb(std::string_view name);

std::string did_you_mean(const std::string& word);

}  // namespace ctr::cmd
