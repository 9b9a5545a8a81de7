#include "cmd/bench/recording.h"

#include <algorithm>

namespace ctr::bench {

std::vector<Subject> with_again(std::vector<Subject> subjects) {
    if (subjects.empty()) return subjects;
    Subject again = subjects.front();
    again.name += " again";
    again.again = true;
    subjects.insert(subjects.begin() + 1, std::move(again));
    return subjects;
}

Values Recording::values(size_t subject, size_t metric) const {
    Values values;
    values.reserve(samples.at(subject).size());
    for (const Sample& sample : samples[subject])
        values.push_back(metric < sample.size() ? sample[metric] : std::nullopt);
    return values;
}

const Failure* Recording::failure_of(size_t subject) const {
    const auto found = std::ranges::find(failures, subject, &Failure::subject);
    return found == failures.end() ? nullptr : &*found;
}

}  // namespace ctr::bench
