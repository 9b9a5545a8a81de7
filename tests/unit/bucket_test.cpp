// The arithmetic of the user-space throttle, on a clock of the test's own.
#include "cgroup/bucket.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace ctr::cgroup {
namespace {

using Time = Bucket::Time;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr uint64_t mib = 1 << 20;
constexpr Pace leaky{Strategy::leaky, 0};
constexpr Time start = seconds(1000);

TEST(Bucket, LeakyLetsNothingThroughBeforeItIsPaid) {
    Bucket bucket(5 * mib, leaky, start);
    EXPECT_EQ(bucket.take(mib, start), start + milliseconds(200));
    EXPECT_EQ(bucket.take(mib, start + milliseconds(200)), start + milliseconds(400));
}

TEST(Bucket, WhatNobodySaysAboutIsLeaky) {
    Bucket any(mib, {}, start);
    Bucket one(mib, leaky, start);
    for (const uint64_t amount : {1U, 1000U, 3000000U})
        EXPECT_EQ(any.take(amount, start), one.take(amount, start));
}

TEST(Bucket, LeakySavesNoMoreUpThanItsCredit) {
    Bucket bucket(5 * mib, leaky, start);
    const Time later = start + seconds(3600);
    EXPECT_EQ(bucket.take(mib, later), later + milliseconds(200) - Bucket::leaky_credit);
}

TEST(Bucket, WhoIsWokenUpLateByLessThanTheCreditKeepsUp) {
    Bucket bucket(5 * mib, leaky, start);
    Time now = start;
    for (int i = 0; i < 100; ++i) now = bucket.take(mib, now) + milliseconds(99);
    EXPECT_LE(now, start + seconds(20) + milliseconds(99));
}

TEST(Bucket, TokenLetsABucketThroughAtOnceAndThenKeepsTheRate) {
    Bucket bucket(5 * mib, {Strategy::token, 10 * mib}, start);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(bucket.take(mib, start), start);
    EXPECT_EQ(bucket.take(mib, start), start + milliseconds(200));
    EXPECT_EQ(bucket.take(mib, start + milliseconds(200)), start + milliseconds(400));
    // It has been filled again by then, and is no larger than it is.
    const Time later = start + seconds(100);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(bucket.take(mib, later), later);
    EXPECT_GT(bucket.take(mib, later), later);
}

TEST(Bucket, OfTokenHoldsASecondsWorthIfNothingElseIsSaid) {
    Bucket bucket(100, {Strategy::token, 0}, start);
    EXPECT_EQ(bucket.take(100, start), start);
    EXPECT_EQ(bucket.take(1, start), start + milliseconds(10));
}

TEST(Bucket, AnAmountLargerThanTheBucketPassesAfterTheRestOfItsCost) {
    Bucket bucket(mib, {Strategy::token, mib}, start);
    EXPECT_EQ(bucket.take(5 * mib, start), start + seconds(4));
}

TEST(Bucket, AnotherRateHoldsForWhatIsNotPaidYet) {
    Bucket bucket(mib, leaky, start);
    EXPECT_EQ(bucket.take(100 * mib, start), start + seconds(100));
    bucket.change(10 * mib, leaky, start + seconds(50));
    EXPECT_EQ(bucket.paid_until(), start + seconds(55));
    bucket.change(5 * mib, leaky, start + seconds(54));
    EXPECT_EQ(bucket.paid_until(), start + seconds(56));
    EXPECT_EQ(bucket.take(5 * mib, start + seconds(56)), start + seconds(57));
}

TEST(Bucket, AnotherRateDoesNotFillIt) {
    Bucket bucket(mib, {Strategy::token, 10 * mib}, start);
    EXPECT_EQ(bucket.take(10 * mib, start), start);
    bucket.change(2 * mib, {Strategy::token, 10 * mib}, start);
    EXPECT_EQ(bucket.take(2 * mib, start), start + seconds(1));
    // Nor do years at a byte a second overflow.
    bucket.change(1, leaky, start + seconds(1));
    bucket.take(UINT64_MAX, start + seconds(1));
    bucket.change(UINT64_MAX, leaky, start + seconds(2));
    EXPECT_LE(bucket.paid_until(), start + seconds(3));
}

TEST(Bucket, WhatDoesNotPassCostsNothing) {
    Bucket bucket(mib, leaky, start);
    bucket.take(100 * mib, start);
    bucket.give_back(100 * mib);
    EXPECT_EQ(bucket.take(mib, start), start + seconds(1));
}

TEST(Bucket, AbsurdAmountsAndRatesDoNotOverflow) {
    Bucket slow(1, leaky, start);
    Time now = start;
    for (int i = 0; i < 10; ++i) {
        const Time then = slow.take(UINT64_MAX, now);
        ASSERT_GT(then, now);
        ASSERT_LE(then, now + std::chrono::hours(24 * 365 * 21));
    }
    Bucket fast(UINT64_MAX, {Strategy::token, UINT64_MAX}, start);
    EXPECT_EQ(fast.take(UINT64_MAX, start), start);
    EXPECT_EQ(fast.take(0, start), start);
}

// The contract of the header: in any stretch of time at most rate * (stretch + credit) passes, and who always
// has something to pass gets the rate.
void expect_kept(uint64_t rate, const Pace& pace, Time credit, uint64_t seed) {
    std::mt19937_64 random(seed);
    Bucket bucket(rate, pace, start);
    struct Passed {
        Time when;
        uint64_t amount;
    };
    std::vector<Passed> passed;
    Time now = start;
    for (int i = 0; i < 300; ++i) {
        const uint64_t amount = 1 + random() % rate;
        now = bucket.take(amount, now);
        passed.push_back({now, amount});
        // Now and then nobody writes for a while.
        if (random() % 10 == 0) now += milliseconds(random() % 3000);
    }
    for (size_t from = 0; from < passed.size(); ++from) {
        double sum = 0;
        for (size_t to = from; to < passed.size(); ++to) {
            sum += static_cast<double>(passed[to].amount);
            const double stretch =
                std::chrono::duration<double>(passed[to].when - passed[from].when + credit).count();
            // The first of the stretch has been paid for before, at most with what the credit allows and the
            // time that it waited.
            const double first = static_cast<double>(passed[from].amount);
            ASSERT_LE(sum - first, static_cast<double>(rate) * stretch * 1.000001 + 1)
                << seed << ": " << from << " to " << to;
        }
    }
}

TEST(Bucket, NeverLetsMoreThroughThanItsRateAndCredit) {
    for (uint64_t seed = 0; seed < 10; ++seed) {
        expect_kept(mib, leaky, Bucket::leaky_credit, seed);
        expect_kept(20, leaky, Bucket::leaky_credit, seed);
        expect_kept(mib, {Strategy::token, 3 * mib}, seconds(3), seed);
        expect_kept(1000, {Strategy::token, 1}, milliseconds(1), seed);
    }
}

TEST(Bucket, GivesAllOfTheRateToWhoAlwaysHasSomething) {
    std::mt19937_64 random(1);
    Bucket bucket(mib, leaky, start);
    Time now = start;
    uint64_t sum = 0;
    while (now < start + seconds(60)) {
        const uint64_t amount = 1 + random() % 100000;
        // Who has to wait is woken up late.
        const Time ready = bucket.take(amount, now);
        now = ready > now ? ready + milliseconds(random() % 100) : now;
        sum += amount;
    }
    const double rate = static_cast<double>(sum) / std::chrono::duration<double>(now - start).count();
    EXPECT_NEAR(rate, mib, 0.002 * mib);
}

}  // namespace
}  // namespace ctr::cgroup
