// What samples say, and how sure that is. Pure, and the same for the same seed.
//
// Samples that were taken in one round are compared as pairs: what the machine did meanwhile concerns both.
// Neighbouring rounds are more alike than distant ones, so the bootstrap draws whole blocks of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ctr::bench {

// One for each round, in order; without a value: the sample failed, or has none.
using Values = std::vector<std::optional<double>>;

struct Estimate {
    double value = 0;
    double low = 0;  // the 95 % interval
    double high = 0;
};

struct Summary {
    size_t count = 0;
    Estimate median;
    double least = 0;
    double mean = 0;
    double most = 0;
    double deviation = 0;          // of the samples from their mean; 0: there is one only
    std::vector<size_t> outliers;  // which rounds: flagged, and counted like all others
};

enum class Verdict {
    differs,    // more than equal things do
    same,       // no measurable difference, which a bound is known for
    too_noisy,  // the same, but much could hide behind it
    too_few,    // rounds, to say anything
};

struct Comparison {
    Estimate ratio;  // median of the rounds' ratios to the reference
    Verdict verdict = Verdict::too_few;
    double unseen = 0;  // how far from 1 the truth may be
};

inline constexpr size_t least_rounds = 6;      // fewer fall on one side by chance too often
inline constexpr double tolerable = 0.03;      // a larger difference that can't be seen is too much noise
inline constexpr double outlier_distance = 3;  // in (scaled) median absolute deviations

double median(std::vector<double> values);  // of at least one

// Rounds in a block, of so many: at least thirty blocks where there are enough.
size_t block_size(size_t rounds);

// Nothing: there are no values.
std::optional<Summary> summarize(const Values& values, uint64_t seed);

// The ratios of rounds that have both, where the reference isn't 0, and how many there are. None at all if
// the reference is often 0: it is too short for its unit.
Values paired(const Values& values, const Values& reference);
size_t paired_rounds(const Values& values, const Values& reference);

// Nothing: there is no such round.
std::optional<Estimate> paired_ratio(const Values& values, const Values& reference, uint64_t seed);

// Samples of two runs that have nothing to do with each other: the ratio of their medians.
std::optional<Estimate> unpaired_ratio(const Values& values, const Values& reference, uint64_t seed);

// NOISE: the ratio of two instances of the reference, which are equal. ROUNDS: that both have.
Comparison judge(const Estimate& ratio, const Estimate& noise, size_t rounds);

// With so many digits behind the point; never "-0".
std::string number(double value, int digits);

// "1.5 %" of 0.015.
std::string percent(double share);

}  // namespace ctr::bench
