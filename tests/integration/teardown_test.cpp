// What a container leaves behind: nothing, however it ended.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <list>
#include <set>
#include <sstream>

#include "tests/support/process.h"

namespace ctr::test {
namespace {

std::string content(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

bool is_number(const std::string& text) {
    return text.find_first_not_of("0123456789") == std::string::npos;
}

// Processes of the host whose arguments contain the mark: the launcher's own and everything that it runs.
std::vector<pid_t> marked(const std::string& mark) {
    std::vector<pid_t> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (is_number(name) && content(entry.path() / "cmdline").find(mark) != std::string::npos)
            found.push_back(std::stoi(name));
    }
    return found;
}

std::vector<pid_t> children(pid_t parent) {
    std::istringstream text(
        content("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) + "/children"));
    std::vector<pid_t> found;
    for (pid_t child = 0; text >> child;) found.push_back(child);
    return found;
}

template <class Condition>
bool eventually(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        usleep(5000);
    }
    return true;
}

// What of the launcher the host shows besides processes. Its groups are called ctr-...
struct Traces {
    std::string mounts = content("/proc/self/mountinfo");
    std::set<std::string> cgroups = cgroup_directories();

    static std::set<std::string> cgroup_directories() {
        std::set<std::string> found;
        std::error_code vanished;  // groups come and go while this looks
        const auto options = std::filesystem::directory_options::skip_permission_denied;
        for (std::filesystem::recursive_directory_iterator at("/sys/fs/cgroup", options, vanished), end;
             at != end; at.increment(vanished)) {
            if (at->path().filename().string().starts_with("ctr-")) found.insert(at->path());
        }
        return found;
    }

    // What is there now that wasn't then. Groups of containers that others started before may end meanwhile.
    std::string since(const Traces& then) const {
        std::string text;
        if (mounts != then.mounts) text += "mounts were\n" + then.mounts + "and are\n" + mounts;
        for (const std::string& group : cgroups)
            if (!then.cgroups.contains(group)) text += "cgroup " + group + "\n";
        return text;
    }
};

class Teardown : public testing::TestWithParam<const char*> {
  protected:
    Teardown() {
        static int number = 0;
        mark_ = "teardown-mark-" + std::to_string(getpid()) + "-" + std::to_string(++number);
    }

    void TearDown() override {
        EXPECT_TRUE(eventually([&] { return marked(mark_).empty(); })) << list_marked();
        EXPECT_TRUE(eventually([&] { return Traces().since(before_).empty(); })) << Traces().since(before_);
        for (const pid_t left : marked(mark_))
            ::kill(left, SIGKILL);  // a failed test must not burden the host
    }

    std::string list_marked() const {
        std::ostringstream text;
        for (const pid_t pid : marked(mark_))
            text << pid << " " << content("/proc/" + std::to_string(pid) + "/stat");
        return text.str();
    }

    Arguments command(Arguments inside) const {
        Arguments argv{ctr_binary(), "run", std::string("--pidns=") + GetParam(), "--"};
        argv.insert(argv.end(), inside.begin(), inside.end());
        return argv;
    }

    Arguments storm() const { return command({victim("storm"), mark_}); }

    // The processes between ctr and the command.
    static pid_t only_child(pid_t parent) {
        const auto found = children(parent);
        EXPECT_EQ(found.size(), 1u);
        return found.empty() ? -1 : found.front();
    }

    std::string mark_;
    Traces before_;
};

INSTANTIATE_TEST_SUITE_P(Modes, Teardown, testing::Values("flat", "kernel"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(Teardown, KillingTheKeeperInAForkStorm) {
    Background container(storm());
    ASSERT_TRUE(container.wait_for_output("storm")) << container.err();
    container.kill(SIGKILL);
    EXPECT_EQ(container.wait().code, 137);
}

TEST_P(Teardown, KillingTheSupervisorInAForkStorm) {
    Background container(storm());
    ASSERT_TRUE(container.wait_for_output("storm")) << container.err();
    ASSERT_EQ(::kill(only_child(container.pid()), SIGKILL), 0);
    const Outcome outcome = container.wait();
    EXPECT_NE(outcome.code, -1) << "ctr outlived its supervisor\n" << outcome;
    EXPECT_NE(outcome.code, 0) << outcome;
}

TEST_P(Teardown, KillingInitInAForkStorm) {
    Background container(storm());
    ASSERT_TRUE(container.wait_for_output("storm")) << container.err();
    const pid_t supervisor = only_child(container.pid());
    const auto candidates = children(supervisor);
    ASSERT_FALSE(candidates.empty());
    ASSERT_EQ(::kill(candidates.front(), SIGKILL), 0);  // the first child: orphans were adopted later
    const Outcome outcome = container.wait();
    EXPECT_EQ(outcome.code, 137) << outcome;
}

TEST_P(Teardown, KillingKeeperAndSupervisorAtOnce) {
    if (GetParam() == std::string("flat"))
        GTEST_SKIP()
            << "a known limit: keeper and supervisor guard each other, and without both only the kernel's "
               "namespace ends the rest";
    Background container(storm());
    ASSERT_TRUE(container.wait_for_output("storm")) << container.err();
    const pid_t supervisor = only_child(container.pid());
    ::kill(container.pid(), SIGSTOP);  // neither can react to the other's death
    ::kill(supervisor, SIGKILL);
    container.kill(SIGKILL);
    EXPECT_EQ(container.wait().code, 137);
}

// With an io limit there is a cgroup to remove as well.
TEST_P(Teardown, TheGroupGoesWhoeverIsKilled) {
    const Arguments limit{"--device-write-bps", "/:1gb", "--io-throttle=kernel"};
    Arguments probe{ctr_binary(), "run", "--", "true"};
    probe.insert(probe.begin() + 2, limit.begin(), limit.end());
    const Outcome possible = run(probe);
    if (possible.code != 0) GTEST_SKIP() << "no io limit on the root's device here: " << possible.err;
    enum class Victim { keeper, supervisor, init };
    for (const Victim target : {Victim::keeper, Victim::supervisor, Victim::init}) {
        Arguments argv = storm();
        argv.insert(argv.begin() + 2, limit.begin(), limit.end());
        Background container(argv);
        ASSERT_TRUE(container.wait_for_output("storm")) << container.err();
        EXPECT_NE(Traces().since(before_).find("cgroup"), std::string::npos)
            << "there is no group to be removed";
        const pid_t supervisor = only_child(container.pid());
        const auto candidates = children(supervisor);
        ASSERT_FALSE(candidates.empty());
        ::kill(target == Victim::keeper       ? container.pid()
               : target == Victim::supervisor ? supervisor
                                              : candidates.front(),
               SIGKILL);
        EXPECT_NE(container.wait().code, -1);
        EXPECT_TRUE(eventually([&] { return Traces().since(before_).empty(); })) << Traces().since(before_);
    }
}

TEST_P(Teardown, TerminatingTheLauncherEndsACommandThatHandlesIt) {
    Background container(command({"sh", "-c", "trap 'exit 4' TERM; sleep 60 & echo ready; wait", mark_}));
    ASSERT_TRUE(container.wait_for_output("ready")) << container.err();
    container.kill(SIGTERM);
    EXPECT_EQ(container.wait().code, 4);
}

TEST_P(Teardown, WhatTheCommandLeavesRunningEndsWithIt) {
    const Outcome outcome = run(command({"sh", "-c", "sleep 99 & setsid sleep 98 & exit 6", mark_}));
    EXPECT_EQ(outcome.code, 6) << outcome;
    const Outcome deaf = run(command({"sh", "-c", "trap '' TERM HUP INT; (sleep 97; :) & exit 7", mark_}));
    EXPECT_EQ(deaf.code, 7) << deaf;
}

TEST_P(Teardown, AFailedStartLeavesNothing) {
    for (int i = 0; i < 10; ++i) ASSERT_EQ(run(command({"/nonexistent/" + mark_})).code, 127);
}

TEST_P(Teardown, TwoHundredLaunchesInARow) {
    for (int i = 0; i < 200; ++i) {
        const Outcome outcome = run(command({"sh", "-c", "exit 7", mark_}));
        ASSERT_EQ(outcome.code, 7) << "launch " << i << "\n" << outcome;
    }
}

TEST_P(Teardown, FiftyLaunchesAtOnce) {
    std::list<Background> containers;
    for (int i = 0; i < 50; ++i)
        containers.emplace_back(
            command({"sh", "-c", "sh -c 'exit 3'; exit $(($? + $1))", mark_, std::to_string(i)}));
    int expected = 3;
    for (Background& container : containers) {
        const Outcome outcome = container.wait();
        EXPECT_EQ(outcome.code, expected++) << outcome;
    }
}

// Only in the flat mode does process 1 die of a signal from outside for which it has no handler: the kernel's
// namespace protects it (and ctr needs SIGKILL there).
TEST(TeardownFlat, TerminatingTheLauncherEndsACommandThatDoesNotHandleIt) {
    const std::string mark = "teardown-term-" + std::to_string(getpid());
    const Traces before;
    Background container({ctr_binary(), "run", "--pidns=flat", "--", victim("storm"), mark});
    ASSERT_TRUE(container.wait_for_output("storm")) << container.err();
    container.kill(SIGTERM);
    EXPECT_EQ(container.wait().code, 143);
    EXPECT_TRUE(eventually([&] { return marked(mark).empty(); }));
    EXPECT_EQ(Traces().since(before), "");
}

// The scan must be able to find something.
TEST(TeardownScan, FindsAMarkedProcessAndADirectoryOfTheHost) {
    const std::string mark = "teardown-scan-" + std::to_string(getpid());
    const Background sleeper({"sh", "-c", "sleep 60; :", mark});
    EXPECT_TRUE(eventually([&] { return !marked(mark).empty(); }));
    EXPECT_EQ(marked(mark).front(), sleeper.pid());
    EXPECT_TRUE(eventually([&] { return children(sleeper.pid()).size() == 1; }));
    EXPECT_FALSE(Traces().mounts.empty());
}

}  // namespace
}  // namespace ctr::test
