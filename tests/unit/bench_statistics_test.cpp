#include "cmd/bench/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "cmd/bench/report.h"
#include "cmd/bench/schedule.h"

namespace ctr::bench {
namespace {

// A machine that is made up: its mood changes from round to round and concerns all, and each sample has a
// noise of its own. The third subject takes FACTOR times as long.
struct MadeUp {
    double factor = 1;
    double noise = 0.01;
    unsigned rounds = 60;
    double mood = 0.5;
    uint64_t seed = 7;
};

Recording recorded(const MadeUp& made_up) {
    std::mt19937_64 chance(made_up.seed);
    std::normal_distribution<double> noise(1, made_up.noise);
    std::uniform_real_distribution<double> moods(1, 1 + made_up.mood);
    Plan plan;
    plan.title = "made up";
    plan.metrics = {{"wall", "s", Better::lower}};
    plan.subjects = with_again({{"host", "", false}, {"flat", "", false}});
    plan.rounds = made_up.rounds;
    plan.seed = made_up.seed;
    unsigned calls = 0;
    double mood = 1;
    const Sampler sampler = [&](size_t subject) -> Result<Sample> {
        if (calls++ % 3 == 0) mood = moods(chance);
        return Sample{100 * mood * (subject == 2 ? made_up.factor : 1) * noise(chance)};
    };
    return record(plan, sampler);
}

Comparison judged(const MadeUp& made_up) {
    return *cell_of(recorded(made_up), 2, 0).comparison;
}

bool covers(const Estimate& estimate, double truth) {
    return estimate.low <= truth && truth <= estimate.high;
}

TEST(BenchStatistics, FindFivePercent) {
    const Comparison found = judged({.factor = 1.05});
    EXPECT_EQ(found.verdict, Verdict::differs);
    EXPECT_TRUE(covers(found.ratio, 1.05)) << found.ratio.low << " " << found.ratio.high;
}

TEST(BenchStatistics, FindOnePercentInEnoughRounds) {
    const Comparison found = judged({.factor = 1.01, .noise = 0.01, .rounds = 800});
    EXPECT_EQ(found.verdict, Verdict::differs);
    EXPECT_NEAR(found.ratio.value, 1.01, 0.003);
    EXPECT_LT(found.ratio.high - found.ratio.low, 0.006);
}

TEST(BenchStatistics, FindLessAsWellAsMore) {
    EXPECT_LT(judged({.factor = 0.9}).ratio.high, 1);
    EXPECT_EQ(judged({.factor = 0.9}).verdict, Verdict::differs);
}

// Of equal things, hardly ever: both intervals have to be left.
TEST(BenchStatistics, RefuseToFindWhatIsntThere) {
    unsigned found = 0;
    constexpr unsigned tries = 100;
    for (unsigned seed = 0; seed < tries; ++seed)
        found += judged({.factor = 1, .rounds = 30, .seed = seed}).verdict == Verdict::differs ? 1U : 0U;
    EXPECT_LE(found, tries / 20);
    EXPECT_EQ(judged({.factor = 1, .noise = 0.005}).verdict, Verdict::same);
}

TEST(BenchStatistics, SayTooNoisyInsteadOfANumber) {
    const Recording recording = recorded({.factor = 1.01, .noise = 0.4, .rounds = 30});
    const Comparison found = *cell_of(recording, 2, 0).comparison;
    EXPECT_EQ(found.verdict, Verdict::too_noisy);
    EXPECT_TRUE(slowdown_text(found, Better::lower, recording.rounds).starts_with("too noisy ("));
}

TEST(BenchStatistics, SayNothingOfTooFewRounds) {
    const Recording recording = recorded({.factor = 2, .noise = 0.001, .rounds = least_rounds - 1});
    const Comparison found = *cell_of(recording, 2, 0).comparison;
    EXPECT_EQ(found.verdict, Verdict::too_few);
    EXPECT_EQ(slowdown_text(found, Better::lower, recording.rounds), "too few rounds (5)");
    EXPECT_EQ(judged({.factor = 2, .noise = 0.001, .rounds = least_rounds}).verdict, Verdict::differs);
}

// What concerns a whole round is in both halves of each ratio.
TEST(BenchStatistics, MoodsOfTheMachineCancelOut) {
    const Comparison found = judged({.factor = 1.05, .noise = 0.004, .mood = 5});
    EXPECT_TRUE(covers(found.ratio, 1.05));
    EXPECT_LT(found.ratio.high - found.ratio.low, 0.02);
}

TEST(BenchStatistics, TheIntervalCoversTheTruthAboutAsOftenAsItSays) {
    unsigned covered = 0;
    for (unsigned seed = 0; seed < 60; ++seed)
        covered +=
            covers(judged({.factor = 1.02, .noise = 0.02, .rounds = 40, .seed = seed}).ratio, 1.02) ? 1U : 0U;
    EXPECT_GE(covered, 51U);
    EXPECT_LT(covered, 60U) << "an interval that is never wrong is too wide";
}

// Neighbours that are alike say less than as many that are not.
TEST(BenchStatistics, LikenessOfNeighboursWidensTheInterval) {
    std::mt19937_64 chance(3);
    std::normal_distribution<double> noise(1, 0.05);
    Values alike;
    Values apart;
    for (int i = 0; i < 240; ++i) {
        apart.emplace_back(noise(chance));
        alike.push_back(i % 8 == 0 ? std::optional(noise(chance)) : alike.back());
    }
    ASSERT_EQ(block_size(alike.size()), 8U);
    const auto width = [](const Values& values) {
        const Estimate median = summarize(values, 1)->median;
        return median.high - median.low;
    };
    EXPECT_GT(width(alike), 1.5 * width(apart));
}

TEST(BenchStatistics, BlocksGrowWithTheRounds) {
    EXPECT_EQ(block_size(0), 1U);
    EXPECT_EQ(block_size(59), 1U);
    EXPECT_EQ(block_size(60), 2U);
    EXPECT_EQ(block_size(10'000), 8U);
}

TEST(BenchStatistics, TheSameSeedSaysTheSame) {
    const Values values{1.0, 1.5, 1.2, 0.9, 1.1, 1.3, 1.4};
    const Estimate one = summarize(values, 5)->median;
    const Estimate other = summarize(values, 5)->median;
    EXPECT_EQ(one.low, other.low);
    EXPECT_EQ(one.high, other.high);
}

TEST(BenchStatistics, SummariesAreTheUsualNumbers) {
    const auto summary = summarize({2.0, std::nullopt, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}, 1);
    ASSERT_TRUE(summary);
    EXPECT_EQ(summary->count, 8U);
    EXPECT_DOUBLE_EQ(summary->median.value, 4.5);
    EXPECT_DOUBLE_EQ(summary->mean, 5);
    EXPECT_DOUBLE_EQ(summary->least, 2);
    EXPECT_DOUBLE_EQ(summary->most, 9);
    EXPECT_NEAR(summary->deviation, 2.1381, 1e-4);
    EXPECT_DOUBLE_EQ(median({3}), 3);
    EXPECT_FALSE(summarize({}, 1));
    EXPECT_FALSE(summarize({std::nullopt}, 1));
}

TEST(BenchStatistics, OutliersAreFlaggedAndCounted) {
    const auto summary = summarize({1.0, 1.1, 0.9, 1.05, 8.0, 0.95, 1.0}, 1);
    EXPECT_EQ(summary->outliers, std::vector<size_t>{4});
    EXPECT_EQ(summary->count, 7U);
    EXPECT_DOUBLE_EQ(summary->most, 8);
    EXPECT_TRUE(summarize({1.0, 1.0, 1.0, 1.0, 1.1}, 1)->outliers.empty()) << "most are equal: no scale";
}

TEST(BenchStatistics, RoundsWithoutBothAreLeftOut) {
    Values ours(20, 2.0);
    Values theirs(20, 1.0);
    ours[1] = theirs[2] = std::nullopt;
    theirs[3] = 0;
    EXPECT_EQ(paired_rounds(ours, theirs), 17U);
    EXPECT_EQ(paired(ours, theirs)[0], 2.0);
    for (const size_t i : {1U, 2U, 3U}) EXPECT_FALSE(paired(ours, theirs)[i]) << i;
    theirs[4] = theirs[5] = 0;
    EXPECT_EQ(paired_rounds(ours, theirs), 0U) << "what is left are chosen rounds";
    EXPECT_FALSE(paired_ratio({1.0}, {0.0}, 1));
    EXPECT_FALSE(unpaired_ratio({}, {1.0}, 1));
    EXPECT_FALSE(unpaired_ratio({1.0}, {0.0}, 1));
}

TEST(BenchStatistics, NumbersHaveTheirDigits) {
    EXPECT_EQ(percent(0.0151), "1.5 %");
    EXPECT_EQ(percent(-0.0001), "0.0 %");
    EXPECT_EQ(percent(-0.1), "-10.0 %");
    EXPECT_EQ(number(1234.5678, 2), "1234.57");
}

TEST(BenchStatistics, RatiosOfTwoRunsNeedNoPairs) {
    std::mt19937_64 chance(3);
    std::normal_distribution<double> noise(1, 0.02);
    Values before;
    Values after;
    for (int i = 0; i < 60; ++i) before.emplace_back(10 * noise(chance));
    for (int i = 0; i < 40; ++i) after.emplace_back(11 * noise(chance));
    const auto ratio = unpaired_ratio(after, before, 1);
    ASSERT_TRUE(ratio);
    EXPECT_TRUE(covers(*ratio, 1.1));
    EXPECT_GT(ratio->low, 1);
}

}  // namespace
}  // namespace ctr::bench
