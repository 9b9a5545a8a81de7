#include "cmd/suggestion.h"

#include <algorithm>

namespace ctr::cmd {

namespace {

// Damerau's and Levenshtein's, with swaps of neighbours only.
size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<size_t>> steps(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); ++i)
        for (size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                steps[i][j] = i + j;
                continue;
            }
            const size_t other = a[i - 1] == b[j - 1] ? 0 : 1;
            steps[i][j] = std::min({steps[i - 1][j] + 1, steps[i][j - 1] + 1, steps[i - 1][j - 1] + other});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                steps[i][j] = std::min(steps[i][j], steps[i - 2][j - 2] + 1);
        }
    return steps[a.size()][b.size()];
}

// More would be another word.
size_t tolerance(std::string_view text) {
    return std::min<size_t>(text.size() / 3, 2);
}

constexpr size_t longest = 64;  // nobody's slip of the finger

}  // namespace

std::string nearest(std::string_view text, const std::vector<std::string_view>& words) {
    if (text.empty() || text.size() > longest) return {};
    std::vector<std::string_view> begun;
    for (const std::string_view word : words)
        if (word.starts_with(text)) begun.push_back(word);
    if (begun.size() == 1 && text.size() > 1) return std::string(begun.front());
    std::string_view best;
    size_t least = tolerance(text) + 1;
    for (const std::string_view word : words)
        if (const size_t steps = distance(text, word); steps < least) {
            least = steps;
            best = word;
        }
    return std::string(best);
}

std::string did_you_mean(const std::string& word) {
    return word.empty() ? "" : ": did you mean " + word + "?";
}

}  // namespace ctr::cmd
