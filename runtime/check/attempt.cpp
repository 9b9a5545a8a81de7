#include "runtime/check/attempt.h"

#include <sched.h>

#include <iterator>
#include <utility>

namespace ctr::check {

bool numbers_agree(const HostFacts& facts) {
    return facts.own_proc || facts.numbered;
}

Status attempt_inside(const Situation& situation, uint64_t namespaces, std::vector<Step> steps) {
    if (situation.identity.new_user_namespace) namespaces |= CLONE_NEWUSER;
    std::vector<Step> all = idmap::map_steps(situation.identity, situation.facts);
    all.push_back({"make all mounts private", action::PrivateMounts{}});
    std::move(steps.begin(), steps.end(), std::back_inserter(all));
    return attempt(namespaces | CLONE_NEWNS, std::move(all));
}

Status attempt_call(const char* what, const char* (*call)()) {
    std::vector<Step> steps;
    steps.push_back({what, action::Try{call}});
    return attempt(0, std::move(steps));
}

std::string reason_of(const Error& error) {
    std::string text = error.call;
    const auto add = [&](const std::string& part) {
        if (!part.empty()) text += (text.empty() ? "" : ": ") + part;
    };
    if (error.err != 0) add(errno_name(error.err));
    add(error.why);
    return text.empty() ? error.step : text;
}

Finding finding(const Status& status, const std::string& reason, const std::string& advice) {
    if (status) return {State::yes, reason, {}};
    const Error& error = status.error();
    return {State::no, reason_of(error), error.hint.empty() ? advice : error.hint};
}

}  // namespace ctr::check
