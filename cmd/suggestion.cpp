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

std::string familiar_verb(std::string_view name) {
    struct Familiar {
        std::string_view name;
        std::string_view here;
    };
    constexpr std::string_view no_images;
    constexpr Familiar table[] = {
        {"ls", "list"},        {"container", "list"}, {"top", "ps"},         {"start", "run"},
        {"create", "run"},     {"restart", "run"},    {"unpause", "resume"}, {"attach", "logs -f"},
        {"state", "inspect"},  {"delete", "rm"},      {"remove", "rm"},      {"info", "check"},
        {"images", no_images}, {"rmi", no_images},    {"pull", no_images},   {"build", no_images}};
    for (const Familiar& one : table)
        if (one.name == name)
            return one.here.empty() ? ": there are no images; --rootfs takes an unpacked root file system"
                                    : did_you_mean(std::string(one.here));
    return {};
}

std::string did_you_mean(const std::string& word) {
    return word.empty() ? "" : ": did you mean " + word + "?";
}

}  // namespace ctr::cmd
