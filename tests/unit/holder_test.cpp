// The monitor is who is called so and has the container's lock, not what it has forked.
#include "runtime/holder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "runtime/supervisor.h"
#include "tests/support/process.h"

namespace ctr {
namespace {

// Called NAME, and forks another one that is. Both have what the caller has open.
pid_t fork_called(const char* name, const Fd& ready) {
    const pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_NAME, name);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (const pid_t own = fork(); own == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)!write(ready.get(), "r", 1);
    while (true) ::pause();
}

TEST(Holder, IsTheTopmostOfThoseThatAreCalledSoAndHaveTheLock) {
    const test::ScratchDirectory scratch;
    const auto registry = Registry::open(scratch.path() + "/ctr");
    ASSERT_TRUE(registry) << registry.error().message();
    State state;
    state.id = "a";
    state.status = LifeStatus::running;
    const auto entry = registry->create(state);
    ASSERT_TRUE(entry) << entry.error().message();
    EXPECT_FALSE(find_monitor(*entry)) << "nobody is called so";
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    const Fd told(ends[0]);
    const Fd ready(ends[1]);
    const pid_t monitor = fork_called(monitor_name, ready);
    const pid_t other = fork_called("other", ready);
    for (int i = 0; i < 4; ++i) {
        char byte = 0;
        ASSERT_EQ(read(told.get(), &byte, 1), 1);
    }
    const auto found = find_monitor(*entry);
    for (const pid_t child : {monitor, other}) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
    ASSERT_TRUE(found);
    EXPECT_EQ(raw(found->process), monitor);
    EXPECT_FALSE(found->stopped());
}

}  // namespace
}  // namespace ctr
