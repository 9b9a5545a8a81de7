#include "runtime/attempt.h"

#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <utility>

namespace ctr {

namespace {

// As launch() wants it, and so that nothing but SIGKILL comes between a child and its end.
class BlockedSignals {
  public:
    BlockedSignals() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;
    ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_{};
};

}  // namespace

Status attempt(uint64_t namespaces, std::vector<Step> steps, const BeforeGo& before_go) {
    Plan plan;
    plan.clone_flags = namespaces;
    plan.steps = std::move(steps);
    plan.steps.push_back({"end", action::Finish{}});
    const BlockedSignals blocked;
    const auto launched = launch(plan, before_go);
    if (!launched) return std::unexpected(launched.error());
    while (waitpid(raw(launched->pid), nullptr, __WALL) < 0 && errno == EINTR) {
    }
    return {};
}

}  // namespace ctr
