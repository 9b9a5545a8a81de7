#include "cmd/bench/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>

namespace ctr::bench {

namespace {

constexpr int draws = 1000;
constexpr double left_out = 0.025;    // of the draws, at either end
constexpr size_t wanted_blocks = 30;  // of much fewer the interval is too narrow
constexpr size_t largest_block = 8;
constexpr size_t most_zeros = 10;             // one in so many
constexpr double deviation_per_mad = 1.4826;  // of a normal distribution

using Block = std::vector<double>;
using Blocks = std::vector<Block>;

Blocks in_blocks(const Values& values) {
    const size_t size = block_size(values.size());
    Blocks blocks;
    for (size_t begin = 0; begin < values.size(); begin += size) {
        Block block;
        for (size_t i = begin; i < std::min(begin + size, values.size()); ++i)
            if (values[i]) block.push_back(*values[i]);
        if (!block.empty()) blocks.push_back(std::move(block));
    }
    return blocks;
}

Block joined(const Blocks& blocks) {
    Block all;
    for (const Block& block : blocks) all.insert(all.end(), block.begin(), block.end());
    return all;
}

// As many blocks as there are, each perhaps several times.
double drawn_median(const Blocks& blocks, std::mt19937_64& chance) {
    std::uniform_int_distribution<size_t> which(0, blocks.size() - 1);
    Block drawn;
    for (size_t i = 0; i < blocks.size(); ++i) {
        const Block& block = blocks[which(chance)];
        drawn.insert(drawn.end(), block.begin(), block.end());
    }
    return median(std::move(drawn));
}

template <class Draw>
Estimate estimate(double value, Draw draw) {
    std::array<double, draws> drawn{};
    std::ranges::generate(drawn, draw);
    std::ranges::sort(drawn);
    const auto at_end = static_cast<size_t>(left_out * draws);
    return {value, drawn.at(at_end), drawn.at(draws - 1 - at_end)};
}

Estimate median_of(const Blocks& blocks, uint64_t seed) {
    std::mt19937_64 chance(seed);
    return estimate(median(joined(blocks)), [&] { return drawn_median(blocks, chance); });
}

std::vector<size_t> outliers_of(const Values& values, double middle) {
    Block distances;
    for (const auto& value : values)
        if (value) distances.push_back(std::abs(*value - middle));
    const double most = outlier_distance * deviation_per_mad * median(std::move(distances));
    std::vector<size_t> found;
    for (size_t i = 0; i < values.size(); ++i)
        if (most > 0 && values[i] && std::abs(*values[i] - middle) > most) found.push_back(i);
    return found;
}

double bound(const Estimate& ratio) {
    return std::max(std::abs(ratio.low - 1), std::abs(ratio.high - 1));
}

bool differs(const Estimate& ratio, const Estimate& noise) {
    return ratio.low > std::max(1.0, noise.high) || ratio.high < std::min(1.0, noise.low);
}

}  // namespace

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    if (values.size() % 2 == 1) return *middle;
    return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

size_t block_size(size_t rounds) {
    return std::clamp<size_t>(rounds / wanted_blocks, 1, largest_block);
}

std::optional<Summary> summarize(const Values& values, uint64_t seed) {
    const Blocks blocks = in_blocks(values);
    if (blocks.empty()) return {};
    const Block all = joined(blocks);
    const auto count = static_cast<double>(all.size());
    Summary summary;
    summary.count = all.size();
    summary.median = median_of(blocks, seed);
    summary.least = std::ranges::min(all);
    summary.most = std::ranges::max(all);
    summary.mean = std::accumulate(all.begin(), all.end(), 0.0) / count;
    double squares = 0;
    for (const double value : all) squares += (value - summary.mean) * (value - summary.mean);
    if (all.size() > 1) summary.deviation = std::sqrt(squares / (count - 1));
    summary.outliers = outliers_of(values, summary.median.value);
    return summary;
}

size_t paired_rounds(const Values& values, const Values& reference) {
    return static_cast<size_t>(std::ranges::count_if(paired(values, reference),
                                                     [](const auto& ratio) { return ratio.has_value(); }));
}

Values paired(const Values& values, const Values& reference) {
    Values ratios(std::min(values.size(), reference.size()));
    // The rounds that are left would be chosen ones: those in which the reference took long.
    const auto zeros = static_cast<size_t>(std::ranges::count(reference, std::optional(0.0)));
    if (zeros * most_zeros > reference.size()) return ratios;
    for (size_t i = 0; i < ratios.size(); ++i)
        if (values[i] && reference[i] && *reference[i] != 0) ratios[i] = *values[i] / *reference[i];
    return ratios;
}

std::optional<Estimate> paired_ratio(const Values& values, const Values& reference, uint64_t seed) {
    const Blocks blocks = in_blocks(paired(values, reference));
    if (blocks.empty()) return {};
    return median_of(blocks, seed);
}

std::optional<Estimate> unpaired_ratio(const Values& values, const Values& reference, uint64_t seed) {
    const Blocks ours = in_blocks(values);
    const Blocks theirs = in_blocks(reference);
    if (ours.empty() || theirs.empty()) return {};
    const double base = median(joined(theirs));
    if (base == 0) return {};
    std::mt19937_64 chance(seed);
    return estimate(median(joined(ours)) / base, [&] {
        const double drawn = drawn_median(theirs, chance);
        return drawn_median(ours, chance) / (drawn == 0 ? base : drawn);
    });
}

Comparison judge(const Estimate& ratio, const Estimate& noise, size_t rounds) {
    const double unseen = std::max(bound(ratio), bound(noise));
    if (rounds < least_rounds) return {ratio, Verdict::too_few, unseen};
    if (differs(ratio, noise)) return {ratio, Verdict::differs, unseen};
    return {ratio, unseen <= tolerable ? Verdict::same : Verdict::too_noisy, unseen};
}

std::string number(double value, int digits) {
    std::array<char, 64> text{};
    const int length = std::snprintf(text.data(), text.size(), "%.*f", digits, value);
    std::string written(text.data(), static_cast<size_t>(std::clamp(length, 0, 63)));
    if (written.starts_with('-') && written.find_first_not_of("-0.") == std::string::npos)
        written.erase(0, 1);
    return written;
}

std::string percent(double share) {
    return number(share * 100, 1) + " %";
}

}  // namespace ctr::bench
