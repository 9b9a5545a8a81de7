// Static programs that a container starts: made copies of in the background, and put in place when the next
// container starts.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <thread>

#include "tests/integration/launcher_fixture.h"

namespace ctr::test {
namespace {

// On a root of its own, with a cache of its own, as several kinds of callers.
class NotedPrograms : public Launcher {
  protected:
    void SetUp() override {
        Launcher::SetUp();
        if (IsSkipped()) return;
        root_.emplace();
        fs::create_directories(root_->path() + "/usr/bin");
        fs::create_directories(root_->path() + "/srv");
        install("version", program);
        install("version", "/srv/maker");
    }
    void install(const std::string& name, const std::string& path) const {
        fs::copy_file(victim(name), root_->path() + path, fs::copy_options::overwrite_existing);
        give();
    }

    Outcome inside(const std::string& script, Arguments options = {}) const {
        options.insert(options.begin(), {"--rootfs", root_->path()});
        options.insert(options.end(), {"-e", "P=" + program, "--", "sh", "-c", script});
        RunOptions run_options;
        run_options.env = {{"XDG_CACHE_HOME", home_.path()}};
        return start(options, run_options);
    }

    // Starts containers that run the program until one of them has its copy in place. (The first few may not:
    // a file that has just been changed isn't known by its times.)
    bool gets_copy(const std::string& path) const {
        constexpr int enough = 100;
        for (int i = 0; i < enough; ++i) {
            const Outcome outcome = inside(state_of(path) + path);
            if (outcome.code != 0 || contains(outcome.err, "warning")) ADD_FAILURE() << outcome;
            if (outcome.out.starts_with("copy\n")) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
        }
        return false;
    }
    static std::string state_of(const std::string& path) {
        return "case $(cat /proc/self/mountinfo) in *\" " + path +
               " ro,\"*) echo copy;; *) echo original;; esac\n";
    }
    // A file that has just been changed isn't known by its times yet.
    static void wait_until_settled() { std::this_thread::sleep_for(std::chrono::milliseconds(3100)); }
    std::string root() const { return root_->path(); }
    ino_t inode() const {
        struct stat status {};
        return stat((root() + program).c_str(), &status) == 0 ? status.st_ino : 0;
    }

    const std::string program = "/usr/bin/version";

  private:
    void give() const {
        if (!owner()) return;
        for (const fs::path& top : {fs::path(root_->path()), fs::path(home_.path())}) {
            ASSERT_EQ(lchown(top.c_str(), owner()->uid, owner()->gid), 0);
            for (const auto& entry : fs::recursive_directory_iterator(top))
                ASSERT_EQ(lchown(entry.path().c_str(), owner()->uid, owner()->gid), 0);
        }
    }
    std::optional<SmallRoot> root_;
    ScratchDirectory home_;
};

// Not root: its cache is the machine's.
INSTANTIATE_TEST_SUITE_P(Everybody, NotedPrograms,
                         testing::Combine(testing::Values(Caller::user, Caller::inner_root),
                                          testing::Values("flat", "multi")),
                         name_of);

TEST_P(NotedPrograms, HaveCopiesInTheNextContainer) {
    for (const char* name : {"family-glibc-static", "family-musl-static", "family-go"}) {
        if (!fs::exists(victim(name))) continue;
        const std::string path = std::string("/usr/bin/") + name;
        install(name, path);
        EXPECT_TRUE(gets_copy(path)) << name;
        const Outcome outcome = inside("exec " + path);
        EXPECT_EQ(outcome.out, "parent 1\nchild 2 of 1\ncreated 2, ended 2 with 7\n") << outcome;
    }
}

TEST_P(NotedPrograms, StayThemselvesWhileAContainerRuns) {
    EXPECT_EQ(inside("$P; stat -c %i $P; $P; stat -c %i $P\n" + state_of(program)).out,
              "first\n" + std::to_string(inode()) + "\nfirst\n" + std::to_string(inode()) + "\noriginal\n");
}

TEST_P(NotedPrograms, WhatIsNotInstalledHasNoCopies) {
    wait_until_settled();
    EXPECT_EQ(inside("/srv/maker").out, "first\n");
    EXPECT_EQ(inside(state_of("/srv/maker") + "/srv/maker").out, "original\nfirst\n");
}

// The container ends at once, and its copy is made all the same.
TEST_P(NotedPrograms, AShortContainerIsEnough) {
    wait_until_settled();
    EXPECT_EQ(inside("$P").out, "first\n");
    EXPECT_EQ(inside(state_of(program) + "$P").out, "copy\nfirst\n");
}

TEST_P(NotedPrograms, AnotherFileAtTheSamePathIsAnotherProgram) {
    ASSERT_TRUE(gets_copy(program));
    ASSERT_EQ(run({root() + "/srv/maker", "make", "second", root() + program}).code, 0);
    EXPECT_EQ(inside("$P\n" + state_of(program)).out, "second\noriginal\n");
}

// What lies under a copy is written to, replaced, or goes and comes back: what runs is always the last one.
TEST_P(NotedPrograms, AreMadeAnewAHundredTimes) {
    ASSERT_TRUE(gets_copy(program));
    const Outcome outcome = inside(state_of(program) + R"(
i=0
while [ $i -lt 100 ]; do
    case $((i % 3)) in
    0) /srv/maker make $i $P ;;
    1) /srv/maker make $i $P.new && mv $P.new $P ;;
    2) rm $P && /srv/maker make $i $P ;;
    esac
    $P
    i=$((i + 1))
done
)" + state_of(program));
    std::string expected = "copy\n";
    for (int i = 0; i < 100; ++i) expected += std::to_string(i) + "\n";
    EXPECT_EQ(outcome.out, expected + "original\n") << outcome;
    EXPECT_TRUE(contains(outcome.err, "it changes version, whose instrumented copy goes")) << outcome;
}

TEST_P(NotedPrograms, AreMadeAnewInOneContainerAfterTheOther) {
    ASSERT_TRUE(gets_copy(program));
    for (int i = 0; i < 12; ++i) {
        const std::string text = std::to_string(i);
        const std::string ways[] = {"/srv/maker make " + text + " $P",
                                    "/srv/maker make " + text + " $P.new && mv $P.new $P",
                                    "rm $P; /srv/maker make " + text + " $P"};
        EXPECT_EQ(inside(ways[i % 3] + "; $P").out, text + "\n");
        EXPECT_EQ(inside("$P").out, text + "\n");
        if (i % 4 == 3) {
            EXPECT_TRUE(gets_copy(program));
        }
    }
}

// Many names of one program, as busybox has them.
TEST_P(NotedPrograms, AreWrittenToThroughLinks) {
    ASSERT_TRUE(gets_copy(program));
    const Outcome outcome =
        inside(state_of(program) + "ln -s version /usr/bin/link; cat /srv/maker > /usr/bin/link && $P\n" +
               state_of(program));
    EXPECT_EQ(outcome.out, "copy\nfirst\noriginal\n") << outcome;
}

}  // namespace
}  // namespace ctr::test
