#include "cmd/bench/schedule.h"

#include <gtest/gtest.h>

#include <set>

#include "cmd/bench/progress.h"

namespace ctr::bench {
namespace {

Plan plan_of(size_t subjects, unsigned rounds, unsigned warmup = 1) {
    Plan plan;
    plan.metrics = {{"wall", "s", Better::lower}};
    for (size_t i = 0; i < subjects; ++i) plan.subjects.push_back({"s" + std::to_string(i), "", false});
    plan.rounds = rounds;
    plan.warmup = warmup;
    return plan;
}

// Each sample takes a second of this clock.
struct FakeClock {
    Clock::time_point time;
    Surroundings surroundings() {
        Surroundings made;
        made.now = [this] { return time; };
        return made;
    }
};

TEST(BenchSchedule, EveryRoundHasEverySubjectInAnOrderOfItsOwn) {
    std::vector<size_t> order;
    const Recording recording = record(plan_of(4, 50), [&](size_t i) -> Result<Sample> {
        order.push_back(i);
        return Sample{static_cast<double>(i)};
    });
    ASSERT_EQ(order.size(), 4U * 51);
    std::set<std::vector<size_t>> orders;
    for (size_t round = 0; round < 51; ++round) {
        const std::vector<size_t> one(order.begin() + static_cast<std::ptrdiff_t>(4 * round),
                                      order.begin() + static_cast<std::ptrdiff_t>(4 * round + 4));
        EXPECT_EQ(std::set(one.begin(), one.end()).size(), 4U);
        orders.insert(one);
    }
    EXPECT_GT(orders.size(), 15U);
    EXPECT_EQ(recording.rounds, 50U);
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(recording.values(i, 0), Values(50, static_cast<double>(i)));
}

TEST(BenchSchedule, TheSeedIsTheOrder) {
    const auto order = [](uint64_t seed) {
        std::vector<size_t> found;
        Plan plan = plan_of(5, 20);
        plan.seed = seed;
        record(plan, [&](size_t i) -> Result<Sample> {
            found.push_back(i);
            return Sample{1.0};
        });
        return found;
    };
    EXPECT_EQ(order(1), order(1));
    EXPECT_NE(order(1), order(2));
}

TEST(BenchSchedule, WarmUpDoesntCount) {
    double next = 0;
    const Recording recording =
        record(plan_of(1, 3, 2), [&](size_t) -> Result<Sample> { return Sample{next++}; });
    EXPECT_EQ(recording.values(0, 0), (Values{2.0, 3.0, 4.0}));
}

TEST(BenchSchedule, WhatFailsIsntAskedAgainAndTheOthersGoOn) {
    unsigned asked = 0;
    const Recording recording = record(plan_of(3, 4, 1), [&](size_t i) -> Result<Sample> {
        if (i == 1 && ++asked == 3) return fail_input("run the command", "it ended with status 3");
        return Sample{1.0};
    });
    EXPECT_EQ(asked, 3U);
    ASSERT_EQ(recording.failures.size(), 1U);
    EXPECT_EQ(recording.failures[0].round, 2U);
    EXPECT_NE(recording.failures[0].why.find("status 3"), std::string::npos);
    EXPECT_EQ(recording.failure_of(1), recording.failures.data());
    EXPECT_EQ(recording.failure_of(0), nullptr);
    EXPECT_EQ(recording.values(1, 0), (Values{1.0, std::nullopt, std::nullopt, std::nullopt}));
    EXPECT_EQ(recording.values(2, 0), Values(4, 1.0));
}

TEST(BenchSchedule, EndsIfAllHaveFailed) {
    unsigned asked = 0;
    const Recording recording = record(plan_of(2, 100), [&](size_t) -> Result<Sample> {
        ++asked;
        return fail_input("", "no");
    });
    EXPECT_EQ(asked, 2U);
    EXPECT_EQ(recording.rounds, 0U);
}

TEST(BenchSchedule, ATimeEndsItAfterTheRound) {
    FakeClock clock;
    Plan plan = plan_of(2, 0);
    plan.time = std::chrono::seconds(9);
    const Sampler sampler = [&](size_t) -> Result<Sample> {
        clock.time += std::chrono::seconds(1);
        return Sample{1.0};
    };
    const Recording recording = record(plan, sampler, clock.surroundings());
    EXPECT_EQ(recording.rounds, 4U) << "one of warm-up, and the one that is over at 10 s";
    EXPECT_DOUBLE_EQ(recording.seconds, 10);
    plan.rounds = 2;
    EXPECT_EQ(record(plan, sampler, clock.surroundings()).rounds, 2U);
    plan.time = std::chrono::seconds(0);
    EXPECT_EQ(record(plan, sampler, clock.surroundings()).rounds, 1U) << "at least one";
}

// Half a round has no pairs; and what fails because it was stopped hasn't failed.
TEST(BenchSchedule, InterruptionKeepsWholeRounds) {
    unsigned calls = 0;
    Surroundings surroundings;
    surroundings.stopped = [&] { return calls >= 8; };
    const Recording recording = record(
        plan_of(3, 10, 1),
        [&](size_t) -> Result<Sample> {
            if (++calls == 8) return fail_input("run the command", "it was interrupted");
            return Sample{1.0};
        },
        surroundings);
    EXPECT_EQ(calls, 8U);
    EXPECT_TRUE(recording.interrupted);
    EXPECT_EQ(recording.rounds, 1U);
    EXPECT_TRUE(recording.failures.empty());
    for (const auto& samples : recording.samples) EXPECT_EQ(samples.size(), 1U);
}

TEST(BenchProgress, SaysHowMuchIsLeft) {
    using std::chrono::seconds;
    EXPECT_EQ(progress_text("job", {6, 24, seconds(10), {}, "flat"}),
              "job [######------------------] 6/24  flat  0:30 left");
    EXPECT_EQ(progress_text("job", {0, 24, seconds(0), {}, "flat"}),
              "job [------------------------] 0/24  flat");
    EXPECT_EQ(progress_text("job", {7, 0, seconds(30), seconds(120), "host"}),
              "job [######------------------] 7  host  1:30 left");
    EXPECT_EQ(progress_text("job", {7, 0, seconds(500), seconds(120), "host"}),
              "job [########################] 7  host  0:00 left");
}

}  // namespace
}  // namespace ctr::bench
