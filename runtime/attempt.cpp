#include "runtime/attempt.h"

#include <sys/wait.h>

#include <cerrno>
#include <utility>

#include "runtime/blocked_signals.h"

namespace ctr {

Status attempt(uint64_t namespaces, std::vector<Step> steps, const BeforeGo& before_go) {
    Plan plan;
    plan.clone_flags = namespaces;
    plan.steps = std::move(steps);
    plan.steps.push_back({"end", action::Finish{}});
    const BlockedSignals blocked;  // as launch() wants it
    const auto launched = launch(plan, before_go);
    if (!launched) return std::unexpected(launched.error());
    while (waitpid(raw(launched->pid), nullptr, __WALL) < 0 && errno == EINTR) {
    }
    return {};
}

}  // namespace ctr
