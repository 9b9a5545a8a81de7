// The state directory: names are taken once, crashes are noticed, nothing foreign is trusted.
#include "runtime/registry.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "tests/support/process.h"

namespace ctr {
namespace {

namespace fs = std::filesystem;

State named(const std::string& name) {
    State state;
    state.id = name;
    state.status = LifeStatus::running;
    return state;
}

class StateDirectory : public testing::Test {
  protected:
    std::string root() const { return scratch_.path() + "/ctr"; }
    Registry registry() const {
        auto opened = Registry::open(root());
        EXPECT_TRUE(opened) << opened.error().message();
        return std::move(*opened);
    }
    // Somebody who creates an entry and is killed while it runs.
    void create_and_crash(const State& state) const {
        const pid_t child = fork();
        if (child == 0) {
            const auto opened = Registry::open(root());
            const auto entry = opened ? opened->create(state) : std::unexpected(Error{});
            kill(getpid(), entry ? SIGKILL : SIGTERM);
        }
        int status = 0;
        waitpid(child, &status, 0);
        ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }

    test::ScratchDirectory scratch_;
};

TEST_F(StateDirectory, ANameIsTakenOnce) {
    const Registry here = registry();
    const auto first = here.create(named("a"));
    ASSERT_TRUE(first) << first.error().message();
    const auto second = here.create(named("a"));
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().message().find("taken"), std::string::npos);
    EXPECT_TRUE(here.create(named("b")));
}

TEST_F(StateDirectory, OfManyThatWantANameAtOnceOneGetsIt) {
    std::array<int, 2> go{};
    ASSERT_EQ(pipe(go.data()), 0);
    std::array<int, 2> held{};
    ASSERT_EQ(pipe(held.data()), 0);
    std::vector<pid_t> children;
    for (int i = 0; i < 8; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            close(go[1]);
            close(held[1]);
            char byte = 0;
            (void)!read(go[0], &byte, 1);
            const auto opened = Registry::open(root());
            const auto entry = opened ? opened->create(named("a")) : std::unexpected(Error{});
            // The winner keeps it until all have tried.
            alarm(30);
            if (entry) (void)!read(held[0], &byte, 1);
            _exit(entry ? 1 : 0);
        }
        children.push_back(child);
    }
    close(go[0]);
    close(go[1]);
    close(held[0]);
    int winners = 0;
    size_t ended = 0;
    for (; ended + 1 < children.size(); ++ended) {
        int status = 0;
        waitpid(-1, &status, 0);
        winners += WIFSIGNALED(status) ? 1 : WEXITSTATUS(status);
    }
    close(held[1]);
    int status = 0;
    while (waitpid(-1, &status, 0) > 0) winners += WEXITSTATUS(status);
    EXPECT_EQ(winners, 1);
}

TEST_F(StateDirectory, TellsTheLivingFromTheDead) {
    const Registry here = registry();
    std::optional<Entry> own(std::move(*here.create(named("a"))));
    EXPECT_TRUE(here.find("a")->alive());
    EXPECT_FALSE(here.remove(*here.find("a"))) << "it runs";
    const pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    own.reset();
    EXPECT_TRUE(here.find("a")->alive()) << "the other process still holds it";
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_FALSE(here.find("a")->alive());
    EXPECT_TRUE(here.remove(*here.find("a")));
    EXPECT_FALSE(here.find("a"));
}

// Of one container, by one at a time, also if that one is killed; nobody else waits for it.
TEST_F(StateDirectory, SettingsAreLockedUntilTheirHolderIsGone) {
    const Registry here = registry();
    const auto entry = here.create(named("a"));
    ASSERT_TRUE(entry);
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    const pid_t child = fork();
    if (child == 0) {
        const auto held = entry->lock_settings();
        if (held) (void)!write(ends[1], "x", 1);
        pause();
    }
    char begun = 0;
    ASSERT_EQ(read(ends[0], &begun, 1), 1);
    const Fd other(open((root() + "/a").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    EXPECT_NE(flock(other.get(), LOCK_EX | LOCK_NB), 0);
    EXPECT_TRUE(here.change(*entry, [](State& state) { state.limits.pids = 7; }));
    kill(child, SIGKILL);
    EXPECT_TRUE(entry->lock_settings());
    EXPECT_EQ(flock(other.get(), LOCK_EX | LOCK_NB), 0);
    waitpid(child, nullptr, 0);
    close(ends[0]);
    close(ends[1]);
}

TEST_F(StateDirectory, ACrashIsNoticedByWhoeverComesNext) {
    create_and_crash(named("kept"));
    State removed = named("removed");
    removed.remove = true;
    create_and_crash(removed);
    State creating = named("creating");
    creating.status = LifeStatus::creating;
    create_and_crash(creating);
    ASSERT_TRUE(fs::exists(root() + "/kept"));

    const Registry here = registry();
    EXPECT_FALSE(here.find("removed"));
    EXPECT_FALSE(here.find("creating"));
    const auto kept = here.find("kept");
    ASSERT_TRUE(kept);
    const auto state = kept->read();
    ASSERT_TRUE(state) << state.error().message();
    EXPECT_EQ(state->status, LifeStatus::stopped);
    EXPECT_FALSE(state->exit);
    EXPECT_TRUE(here.create(named("removed"))) << "the name is free again";
}

TEST_F(StateDirectory, FinishWritesTheExitDownOrRemoves) {
    const Registry here = registry();
    const auto kept = here.create(named("kept"));
    ASSERT_TRUE(here.finish(*kept, Exit{3, 0}));
    EXPECT_EQ(kept->read()->exit->status, 3);
    ASSERT_TRUE(here.finish(*kept, {})) << "the second has nothing to add";
    EXPECT_EQ(kept->read()->exit->status, 3);
    State removed = named("removed");
    removed.remove = true;
    const auto entry = here.create(removed);
    ASSERT_TRUE(here.finish(*entry, Exit{3, 0}));
    EXPECT_FALSE(here.find("removed"));
}

TEST_F(StateDirectory, WhatOthersHavePutThereIsNotTrusted) {
    const Registry here = registry();
    fs::create_directories(root() + "/forged");
    std::ofstream(root() + "/forged/state.json") << to_json(named("other"));
    fs::create_directories(root() + "/deep/er");
    std::ofstream(root() + "/file") << "x";
    fs::create_directory_symlink("/etc", root() + "/link");
    const auto forged = here.find("forged");
    ASSERT_TRUE(forged);
    EXPECT_FALSE(forged->read()) << "it says that it is another's";
    EXPECT_FALSE(here.find("file"));
    EXPECT_FALSE(here.find("link"));
    EXPECT_FALSE(here.find("../ctr"));
    EXPECT_TRUE(registry().all()) << "and it is swept around";
    EXPECT_TRUE(fs::exists("/etc/passwd"));
    EXPECT_TRUE(fs::exists(root() + "/deep/er")) << "only files are removed";
}

// Names that could be a process's number weren't always refused.
TEST_F(StateDirectory, ANameOfDigitsIsNotGivenButFound) {
    const Registry here = registry();
    EXPECT_FALSE(here.create(named("4711")));
    {
        const auto entry = here.create(named("a"));
        ASSERT_TRUE(entry) << entry.error().message();
        State state = named("4711");
        state.status = LifeStatus::stopped;
        ASSERT_TRUE(entry->write(state));
    }
    fs::rename(root() + "/a", root() + "/4711");
    const auto found = here.find("4711");
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_TRUE(found->read());
    const auto all = registry().all();
    ASSERT_TRUE(all);
    EXPECT_EQ(all->size(), 1U);
    EXPECT_TRUE(here.remove(*found));
    EXPECT_FALSE(fs::exists(root() + "/4711"));
}

TEST_F(StateDirectory, MustBelongToTheCallerAlone) {
    ASSERT_EQ(mkdir(root().c_str(), 0700), 0);
    ASSERT_EQ(chmod(root().c_str(), 0777), 0);
    const auto open_to_all = Registry::open(root());
    ASSERT_FALSE(open_to_all);
    EXPECT_NE(open_to_all.error().message().find("777"), std::string::npos);
    EXPECT_FALSE(Registry::open("")) << "there is no such place";
    EXPECT_FALSE(Registry::open("relative"));
    if (geteuid() != 0) GTEST_SKIP() << "the rest needs root";
    ASSERT_EQ(chmod(root().c_str(), 0700), 0);
    ASSERT_EQ(chown(root().c_str(), 12345, 12345), 0);
    EXPECT_FALSE(Registry::open(root()));
}

TEST(UsualStateDirectory, IsTheOneThatTheEnvironmentNames) {
    EXPECT_EQ(usual_registry({"CTR_STATE_DIR=/s", "XDG_RUNTIME_DIR=/x"}), "/s");
    if (geteuid() == 0) GTEST_SKIP() << "the rest isn't root's";
    EXPECT_EQ(usual_registry({"CTR_STATE_DIR=", "XDG_RUNTIME_DIR=/x"}), "/x/ctr");
    EXPECT_EQ(usual_registry({}), "");
}

}  // namespace
}  // namespace ctr
