#include "cgroup/bucket.h"

#include <algorithm>

namespace ctr::cgroup {
namespace {

// Longer than anybody waits, and some of it can be added up.
constexpr Bucket::Time longest = std::chrono::hours(24 * 365 * 10);

Bucket::Time time_for(uint64_t amount, uint64_t rate) {
    __extension__ using Wide = unsigned __int128;
    constexpr Wide second = std::nano::den;
    const Wide exact = (Wide{amount} * second + rate - 1) / rate;
    return exact > static_cast<Wide>(longest.count()) ? longest : Bucket::Time(static_cast<int64_t>(exact));
}

Bucket::Time credit_of(uint64_t rate, const Pace& pace) {
    if (pace.strategy != Strategy::token) return Bucket::leaky_credit;
    return time_for(pace.bucket == 0 ? rate : pace.bucket, rate);
}

}  // namespace

Bucket::Bucket(uint64_t rate, const Pace& pace, Time now)
    : rate_(rate),
      credit_(credit_of(rate, pace)),
      paid_until_(pace.strategy == Strategy::token ? now - credit_ : now) {}

void Bucket::change(uint64_t rate, const Pace& pace, Time now) {
    if (paid_until_ > now) {
        __extension__ using Wide = unsigned __int128;
        const Wide unpaid = Wide{static_cast<uint64_t>((paid_until_ - now).count())} * rate_ / std::nano::den;
        paid_until_ = now + time_for(static_cast<uint64_t>(std::min<Wide>(unpaid, UINT64_MAX)), rate);
    }
    rate_ = rate;
    credit_ = credit_of(rate, pace);
}

Bucket::Time Bucket::cost(uint64_t amount) const {
    return time_for(amount, rate_);
}

Bucket::Time Bucket::take(uint64_t amount, Time now) {
    const Time begin = std::max(paid_until_, now - credit_);
    paid_until_ = std::min(begin, now + longest) + cost(amount);
    return std::max(paid_until_, now);
}

}  // namespace ctr::cgroup
