#include "cmd/bench/workload.h"

#include <regex.h>

#include <array>
#include <cmath>
#include <cstdlib>

namespace ctr::bench {

namespace {

// The C library's: a program that doesn't measure pays nothing for it.
class Pattern {
  public:
    static Result<Pattern> compile(const std::string& text) {
        Pattern pattern;
        const int problem = regcomp(&pattern.compiled_, text.c_str(), REG_EXTENDED | REG_NEWLINE);
        pattern.good_ = problem == 0;
        const std::string step = "read the pattern \"" + text + '"';
        if (problem != 0) {
            std::array<char, 128> why{};
            regerror(problem, &pattern.compiled_, why.data(), why.size());
            return fail_input(step, why.data());
        }
        if (pattern.compiled_.re_nsub == 0)
            return fail_input(step, "no part of it is in parentheses, for the number", "'([0-9.]+) lps'");
        return pattern;
    }
    Pattern(Pattern&& other) noexcept
        : compiled_(other.compiled_), good_(std::exchange(other.good_, false)) {}
    Pattern& operator=(Pattern&&) = delete;
    ~Pattern() {
        if (good_) regfree(&compiled_);
    }

    // The first group of the last match.
    std::optional<std::string> last_in(const std::string& text) const {
        std::optional<std::string> found;
        std::array<regmatch_t, 2> groups{};
        for (size_t at = 0; at <= text.size(); at += static_cast<size_t>(groups[0].rm_eo)) {
            const int flags = at == 0 ? 0 : REG_NOTBOL;
            if (regexec(&compiled_, text.c_str() + at, groups.size(), groups.data(), flags) != 0) break;
            if (groups[1].rm_so < groups[1].rm_eo)
                found = text.substr(at + static_cast<size_t>(groups[1].rm_so),
                                    static_cast<size_t>(groups[1].rm_eo - groups[1].rm_so));
            if (groups[0].rm_eo == 0) ++at;  // an empty match, of which there is one everywhere
        }
        return found;
    }

  private:
    Pattern() = default;
    regex_t compiled_{};
    bool good_ = false;
};

}  // namespace

Result<std::optional<double>> find_figure(const Figure& figure, const std::string& output) {
    const auto pattern = Pattern::compile(figure.pattern);
    if (!pattern) return std::unexpected(pattern.error());
    const auto text = pattern->last_in(output);
    if (!text) return std::nullopt;
    char* end = nullptr;
    const double value = std::strtod(text->c_str(), &end);
    if (text->empty() || *end != 0 || !std::isfinite(value))
        return fail_input("read the figure " + figure.metric.name, '"' + *text + "\" is no number");
    return value;
}

Result<Figure> parse_figure(const std::string& text) {
    const std::string step = "read the figure \"" + text + '"';
    constexpr const char* form = "UNIT[:higher]=PATTERN, such as 'lps:higher=: ([0-9.]+) lps'";
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) return fail_input(step, "there is no unit", form);
    Figure figure;
    std::string unit = text.substr(0, equals);
    figure.pattern = text.substr(equals + 1);
    if (const size_t colon = unit.find(':'); colon != std::string::npos) {
        const std::string direction = unit.substr(colon + 1);
        if (direction != "higher" && direction != "lower")
            return fail_input(step, '"' + direction + "\" is neither higher nor lower", form);
        figure.metric.better = direction == "higher" ? Better::higher : Better::lower;
        unit.resize(colon);
    }
    figure.metric.name = "figure";
    figure.metric.unit = unit;
    if (const auto tried = Pattern::compile(figure.pattern); !tried)
        return std::unexpected(Error(tried.error()).within(step));
    return figure;
}

}  // namespace ctr::bench
