#include "cmd/bench/schedule.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace ctr::bench {

namespace {

class Recorder {
  public:
    Recorder(Plan plan, const Sampler& sampler, const Surroundings& surroundings)
        : sampler_(sampler), surroundings_(surroundings), chance_(plan.seed), begun_(surroundings.now()) {
        recording_.samples.resize(plan.subjects.size());
        recording_.plan = std::move(plan);
    }

    Recording take() && {
        for (unsigned round = 0; wants(round); ++round) {
            std::vector<Sample> samples = take_round(round);
            if (recording_.interrupted) break;  // half a round has no pairs
            if (round < plan().warmup) continue;
            for (size_t i = 0; i < samples.size(); ++i)
                recording_.samples[i].push_back(std::move(samples[i]));
            ++recording_.rounds;
        }
        recording_.seconds = elapsed().count();
        return std::move(recording_);
    }

  private:
    const Plan& plan() const { return recording_.plan; }
    std::chrono::duration<double> elapsed() const { return surroundings_.now() - begun_; }

    // Those that are warmed up are measured at least once.
    bool wants(unsigned round) const {
        if (recording_.failures.size() == plan().subjects.size()) return false;
        if (round <= plan().warmup) return true;
        if (plan().time && elapsed() >= *plan().time) return false;
        return plan().rounds == 0 || round < plan().warmup + plan().rounds;
    }

    std::vector<Sample> take_round(unsigned round) {
        std::vector<size_t> order(plan().subjects.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::ranges::shuffle(order, chance_);
        std::vector<Sample> samples(order.size());
        for (const size_t i : order) {
            if (recording_.failure_of(i) != nullptr) continue;
            surroundings_.progress(position(i));
            if (!stopped()) samples[i] = take_sample(i, round);
            if (stopped()) {
                recording_.interrupted = true;
                break;
            }
        }
        return samples;
    }

    // What fails because it was stopped hasn't failed.
    Sample take_sample(size_t i, unsigned round) {
        auto sample = sampler_(i);
        ++done_;
        if (sample) return std::move(*sample);
        if (!stopped()) recording_.failures.push_back({i, round, sample.error().message()});
        return {};
    }

    bool stopped() const { return surroundings_.stopped(); }

    Position position(size_t subject) const {
        const auto each = static_cast<unsigned>(plan().subjects.size());
        const unsigned planned = plan().rounds == 0 ? 0 : (plan().warmup + plan().rounds) * each;
        return {done_, planned, elapsed(), plan().time, plan().subjects[subject].name};
    }

    const Sampler& sampler_;
    const Surroundings& surroundings_;
    std::mt19937_64 chance_;
    Clock::time_point begun_;
    unsigned done_ = 0;
    Recording recording_;
};

}  // namespace

Recording record(Plan plan, const Sampler& sampler, const Surroundings& surroundings) {
    return Recorder(std::move(plan), sampler, surroundings).take();
}

}  // namespace ctr::bench
