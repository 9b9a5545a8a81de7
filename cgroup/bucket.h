// One rate, kept by making who would exceed it wait. Pure arithmetic: the time is an argument, as nanoseconds
// of any clock that never goes back, and nobody waits in here.
//
// An amount costs the time in which the rate lets as much through, and passes when its cost is paid: before,
// not after, so that even a single large amount never exceeds the rate. The bucket remembers until when it is
// paid. Time that nobody used is lost, but for the *credit*, and that is all in which the strategies differ:
//
//   leaky   100 ms, which who is woken up late needs to keep up; none at first
//   token   what it takes to fill the bucket; it is full at first
//
// So in any stretch of time T at most rate * (T + credit) passes, whatever the amounts are; and who always
// has something to pass gets all of the rate if it never comes later than the credit.
#pragma once

#include <chrono>
#include <cstdint>

#include "cgroup/io_limit.h"

namespace ctr::cgroup {

class Bucket {
  public:
    using Time = std::chrono::nanoseconds;

    static constexpr Time leaky_credit = std::chrono::milliseconds(100);

    // RATE: amount in a second, not 0.
    Bucket(uint64_t rate, const Pace& pace, Time now);

    // Takes the amount up: when it may pass. To be asked for one amount after the other, each not before the
    // one before has passed.
    Time take(uint64_t amount, Time now);

    // Another rate from now on. What isn't paid yet of the last amount costs what it does at the new rate;
    // time that nobody used stays, up to the new credit.
    void change(uint64_t rate, const Pace& pace, Time now);

    // When the last amount may pass, or might have.
    Time paid_until() const { return paid_until_; }

    // The amount that was taken last doesn't pass.
    void give_back(uint64_t amount) { paid_until_ -= cost(amount); }

  private:
    Time cost(uint64_t amount) const;

    uint64_t rate_;
    Time credit_;
    Time paid_until_;
};

}  // namespace ctr::cgroup
