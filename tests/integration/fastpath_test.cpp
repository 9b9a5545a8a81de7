// Instrumented copies in place of a container's images: who sees them, and what happens where they can't be
// had.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/integration/launcher_fixture.h"

namespace ctr::test {
namespace {

// With a cache of its own for everybody but root, whose cache is the machine's.
class Fastpath : public Launcher {
  protected:
    void SetUp() override {
        Launcher::SetUp();
        if (IsSkipped()) return;
        if (owner()) {
            ASSERT_EQ(chown(home_.path().c_str(), owner()->uid, owner()->gid), 0);
        }
    }
    Outcome start_with_cache(const Arguments& arguments) const {
        RunOptions options;
        options.env = {{"XDG_CACHE_HOME", home_.path()}};
        return start(arguments, options);
    }
    Outcome inside(Arguments options, const std::string& script) const {
        options.insert(options.end(), {"--log-level=debug", "--", "sh", "-c", script});
        return start_with_cache(options);
    }
    const std::string& home() const { return home_.path(); }

  private:
    ScratchDirectory home_;
};

INSTANTIATE_TEST_SUITE_P(Everybody, Fastpath,
                         testing::Combine(testing::Values(Caller::root, Caller::user, Caller::inner_root),
                                          testing::Values("flat", "multi")),
                         name_of);

// The path of the C library that a program maps, "copy" or "original", and how it is mounted.
const char* const which_library = R"(
library=$(grep -m1 -o '/[^ ]*/libc\.so\.6$' /proc/self/maps)
echo "$library"
grep -q " $library ro," /proc/self/mountinfo && echo copy || echo original
)";

TEST_P(Fastpath, ProgramsGetCopiesUnderTheImagesNames) {
    const Outcome outcome = inside({}, which_library);
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_EQ(outcome.out, run({"readlink", "-f", "/lib/x86_64-linux-gnu/libc.so.6"}).out + "copy\n")
        << outcome;
    EXPECT_FALSE(contains(outcome.err, "warning")) << outcome;
}

TEST_P(Fastpath, ARootOfItsOwnGetsThemToo) {
    const SmallRoot root(owner());
    fs::copy_file(fs::canonical("/bin/grep"), root.path() + "/bin/grep");
    for (const char* library : {"/lib/x86_64-linux-gnu/libpcre2-8.so.0"})
        if (!fs::exists(root.path() + library)) fs::copy_file(fs::canonical(library), root.path() + library);
    const Outcome outcome = inside({"--rootfs", root.path()}, which_library);
    EXPECT_EQ(outcome.out, "/lib/x86_64-linux-gnu/libc.so.6\ncopy\n") << outcome;
}

TEST_P(Fastpath, OffMeansNone) {
    const Outcome outcome = inside({"--pid-fastpath=off"}, std::string(which_library) + "ls $XDG_CACHE_HOME");
    EXPECT_TRUE(outcome.out.ends_with("original\n")) << outcome;
    EXPECT_EQ(outcome.err, "");
}

TEST_P(Fastpath, NothingOfItIsSeenOutside) {
    const std::string before = run({"cat", "/proc/self/mountinfo"}).out;
    const std::string library = run({"sha256sum", "/lib/x86_64-linux-gnu/libc.so.6"}).out;
    const Outcome outcome = inside({}, "sha256sum /lib/x86_64-linux-gnu/libc.so.6");
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_NE(outcome.out, library);
    EXPECT_EQ(run({"sha256sum", "/lib/x86_64-linux-gnu/libc.so.6"}).out, library);
    EXPECT_EQ(run({"cat", "/proc/self/mountinfo"}).out, before);
}

// The dynamic linker is a static program, and runs others.
TEST_P(Fastpath, AStaticCommandIsInstrumentedAtItsPlace) {
    const ScratchDirectory programs;
    const std::string program = programs.copy(fs::canonical("/lib64/ld-linux-x86-64.so.2"));
    const Outcome outcome = start_with_cache(
        {"--log-level=debug", program, "/bin/grep", "-c", " " + program + " ro,", "/proc/self/mountinfo"});
    EXPECT_EQ(outcome.out, "1\n") << outcome;
}

TEST_P(Fastpath, AStaticCommandWorksAsBefore) {
    const ScratchDirectory programs;
    for (const char* name : {"family-glibc-static", "family-musl-static", "family-go"}) {
        if (!fs::exists(victim(name))) continue;
        const std::string program = programs.copy(victim(name));
        const Outcome fast = start_with_cache({program});
        const Outcome slow = start_with_cache({"--pid-fastpath=off", program});
        EXPECT_EQ(fast.code, slow.code) << fast;
        EXPECT_EQ(fast.out, slow.out) << fast;
    }
}

// A command in a place that a mount of the container's hides isn't there; that its copy can't be placed
// either is a remark, not the failure.
TEST_P(Fastpath, AnImageThatIsHiddenInsideIsPassedOver) {
    const SmallRoot root(owner());
    fs::create_directories(root.path() + "/tmp");
    fs::copy_file(victim("family-glibc-static"), root.path() + "/tmp/program");
    fs::permissions(root.path() + "/tmp/program", fs::perms(0755));
    const Outcome outcome =
        start_with_cache({"--rootfs", root.path(), "--log-level=debug", "--", "/tmp/program"});
    EXPECT_EQ(outcome.code, 127) << outcome;
}

// What is served in process needs nobody else: the monitor stands still meanwhile.
class Unasked : public LauncherInMode {};
INSTANTIATE_TEST_SUITE_P(Modes, Unasked, testing::Values("flat", "multi"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(Unasked, TheCommonFilesOfProc) {
    if (!is_root()) GTEST_SKIP() << "needs root, who has a cache";
    const ScratchDirectory place;
    const std::string gate = place.path() + "/gate";
    ASSERT_EQ(mkfifo(gate.c_str(), 0600), 0);
    Background container(command({victim("unasked"), gate}));
    ASSERT_TRUE(container.wait_for_output("ready")) << container.err();
    const std::string number = std::to_string(container.pid());
    std::ifstream children("/proc/" + number + "/task/" + number + "/children");
    pid_t monitor = 0;
    ASSERT_TRUE(children >> monitor);
    ASSERT_EQ(kill(monitor, SIGSTOP), 0);
    const Fd go(open(gate.c_str(), O_WRONLY | O_CLOEXEC));
    const bool is_done = container.wait_for_output("done");
    ASSERT_EQ(kill(monitor, SIGCONT), 0);
    EXPECT_TRUE(is_done) << container.out();
    const Outcome outcome = container.wait();
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_FALSE(contains(outcome.out, "wrong")) << outcome;
}

// Root's cache is the machine's, and not to be spoiled.
class UsersFastpath : public Fastpath {};
INSTANTIATE_TEST_SUITE_P(User, UsersFastpath,
                         testing::Combine(testing::Values(Caller::user), testing::Values("flat")), name_of);

TEST_P(UsersFastpath, WithoutACacheThereIsNoneAndTheReasonIsSaid) {
    ASSERT_EQ(chmod(home().c_str(), 0555), 0);
    const Outcome outcome = inside({"-e", "XDG_RUNTIME_DIR="}, which_library);
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_TRUE(outcome.out.ends_with("original\n")) << outcome;
    EXPECT_TRUE(contains(outcome.err, "debug: no fast path: ")) << outcome;
}

TEST_P(UsersFastpath, AHostileCacheIsNotUsed) {
    ASSERT_EQ(inside({}, "true").code, 0);
    ASSERT_TRUE(fs::exists(home() + "/ctr"));
    ASSERT_EQ(chmod((home() + "/ctr").c_str(), 0777), 0);
    const Outcome outcome = inside({}, which_library);
    EXPECT_TRUE(outcome.out.ends_with("original\n")) << outcome;
    EXPECT_TRUE(contains(outcome.err, "others may write to it")) << outcome;
}

// Containers in containers.
class NestedFastpath : public RootsLauncher {
  protected:
    static Outcome inside(const Arguments& outer, const Arguments& inner, const std::string& script) {
        Arguments argv = outer;
        argv.insert(argv.end(), {"--cap-add=SYS_ADMIN", "--", ctr_binary(), "run", "--log-level=debug",
                                 std::string("--pidns=") + GetParam()});
        argv.insert(argv.end(), inner.begin(), inner.end());
        argv.insert(argv.end(), {"--", "sh", "-c", script});
        return run(command(argv));
    }
};
INSTANTIATE_TEST_SUITE_P(Modes, NestedFastpath, testing::Values("flat", "multi"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(NestedFastpath, HasTheOuterOnesCopies) {
    const Outcome outcome = inside({}, {}, which_library);
    EXPECT_TRUE(outcome.out.ends_with("copy\n")) << outcome;
}

TEST_P(NestedFastpath, ARootOfItsOwnHasNoneAndTheReasonIsSaid) {
    const SmallRoot root;
    fs::copy_file(fs::canonical("/bin/grep"), root.path() + "/bin/grep");
    const std::string library = "/lib/x86_64-linux-gnu/libpcre2-8.so.0";
    if (!fs::exists(root.path() + library)) fs::copy_file(fs::canonical(library), root.path() + library);
    const Outcome outcome =
        inside({}, {"--rootfs", root.path()}, std::string(which_library) + "echo $$; (sh -c 'echo $PPID')");
    EXPECT_EQ(outcome.out, "/lib/x86_64-linux-gnu/libc.so.6\noriginal\n1\n1\n") << outcome;
    EXPECT_TRUE(contains(outcome.err, "debug: no fast path: this runs inside of another container, which"))
        << outcome;
}

class NoFastpath : public LauncherInMode {};
INSTANTIATE_TEST_SUITE_P(Modes, NoFastpath, testing::Values("kernel", "host"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(NoFastpath, OtherModesHaveNone) {
    const Outcome outcome = run(command({"--log-level=debug", "sh", "-c", which_library}));
    EXPECT_TRUE(outcome.out.ends_with("original\n")) << outcome;
    EXPECT_EQ(outcome.err, "");
}

// Nothing can be written there, and nothing needs to be.
TEST(FastpathAndTheHost, AReadOnlyRootGetsCopies) {
    if (!is_root()) GTEST_SKIP() << "needs root";
    const SmallRoot root;
    for (const char* directory : {"/dev", "/proc", "/sys", "/tmp"})
        fs::create_directory(root.path() + directory);
    const std::string script =
        "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" && shift && exec \"$@\"";
    const Outcome outcome =
        run({"unshare", "-m", "sh", "-c", script, "sh", root.path(), ctr_binary(), "run", "--rootfs",
             root.path(), "sh", "-c", "touch /x || cat /proc/self/mountinfo"});
    EXPECT_TRUE(contains(outcome.out, " /lib/x86_64-linux-gnu/libc.so.6 ro,")) << outcome;
}

// An upgrade of a container's root from outside isn't held back by the mounts inside, and is seen there.
TEST(FastpathAndTheHost, AnUpgradeOutsideGoesOn) {
    if (!is_root()) GTEST_SKIP() << "needs root";
    const SmallRoot root;
    const std::string library = root.path() + "/lib/x86_64-linux-gnu/libc.so.6";
    const std::string fifo = root.path() + "/fifo";
    fs::copy_file(library, library + ".new");
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    const Background container({ctr_binary(), "run", "--rootfs", root.path(), "--", "sh", "-c",
                                "stat -c %i /lib/x86_64-linux-gnu/libc.so.6; cat /fifo; stat -c %i "
                                "/lib/x86_64-linux-gnu/libc.so.6"});
    ASSERT_TRUE(container.wait_for_output("\n"));
    struct stat original {};
    struct stat replaced {};
    ASSERT_EQ(stat(library.c_str(), &original), 0);
    ASSERT_EQ(stat((library + ".new").c_str(), &replaced), 0);
    EXPECT_FALSE(container.out().starts_with(std::to_string(original.st_ino) + "\n"));
    EXPECT_EQ(rename((library + ".new").c_str(), library.c_str()), 0);
    std::ofstream(fifo) << "go on\n";
    EXPECT_TRUE(container.wait_for_output("go on\n" + std::to_string(replaced.st_ino) + "\n"))
        << container.out();
}

}  // namespace
}  // namespace ctr::test
