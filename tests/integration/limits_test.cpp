// What a container may use, judged by the kernel.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "cgroup/freezer.h"
#include "cgroup/hierarchy.h"
#include "tests/integration/launcher_fixture.h"

namespace ctr::test {
namespace {

// Directories of ctr's in any cgroup hierarchy that is seen here, sorted.
std::vector<std::string> groups_of_ctr() {
    std::vector<std::string> found;
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator("/sys/fs/cgroup", error))
        if (entry.is_directory() && entry.path().filename().string().starts_with("ctr-"))
            found.push_back(entry.path().string());
    std::ranges::sort(found);
    return found;
}

class GroupLimits : public LauncherInMode {
  protected:
    void SetUp() override {
        if (!is_root()) GTEST_SKIP() << "groups are root's here";
        for (const auto& controller :
             {cgroup::memory_controller, cgroup::cpu_controller, cgroup::pids_controller})
            if (const auto hierarchy = cgroup::find_hierarchy(controller); !hierarchy)
                GTEST_SKIP() << hierarchy.error().message();
    }

    // The text of a control file of the only group that ctr has made.
    std::string setting(const cgroup::Controller& controller, const std::string& v1,
                        const std::string& v2) const {
        const auto hierarchy = cgroup::find_hierarchy(controller).value();
        for (const std::string& directory : groups_of_ctr()) {
            if (std::ranges::count(before_, directory) != 0) continue;
            std::ifstream file(directory + "/" + (hierarchy.version == cgroup::Version::v1 ? v1 : v2));
            std::string text;
            if (directory.starts_with(hierarchy.mount_point) && std::getline(file, text)) return text;
        }
        return "no such file";
    }
    static bool is_v1(const cgroup::Controller& controller) {
        return cgroup::find_hierarchy(controller)->version == cgroup::Version::v1;
    }
    void expect_no_groups() const { EXPECT_EQ(groups_of_ctr(), before_) << "groups that were left"; }

  private:
    const std::vector<std::string> before_ = groups_of_ctr();  // of others on this machine
};

INSTANTIATE_TEST_SUITE_P(Modes, GroupLimits, testing::Values("flat", "kernel", "host"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(GroupLimits, TheContainerSeesItsOwnGroupsOnly) {
    const Outcome seen =
        run(command({"-m", "64m", "--", "sh", "-c",
                     "cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null; "
                     "find /sys/fs/cgroup -path '*memory*/ctr-*' | wc -l; mkdir /sys/fs/cgroup/memory/x "
                     "/sys/fs/cgroup/x"}));
    EXPECT_EQ(seen.out, "67108864\n0\n") << seen;
    EXPECT_TRUE(contains(seen.err, "Read-only file system")) << seen;
}

// Not moved there: that makes the whole system wait for a moment.
TEST(BornInAGroup, InitIsWhereCgroupV2Is) {
    if (!is_root()) GTEST_SKIP() << "groups are root's here";
    if (!available("strace")) GTEST_SKIP() << "strace is not installed";
    if (cgroup::freezer_directories("x").empty()) GTEST_SKIP() << "no cgroups";
    const ScratchDirectory state;
    RunOptions options;
    options.env = {{"ASAN_OPTIONS", "detect_leaks=0"}};  // which doesn't work under ptrace
    const Outcome outcome =
        run({"strace", "-f", "-e", "trace=clone3", ctr_binary(), "run", "--pidns=kernel", "--name", "born",
             "--state-dir", state.path(), "--", "grep", "^0:", "/proc/self/cgroup"},
            options);
    ASSERT_EQ(outcome.code, 0) << outcome;
    if (!contains(outcome.err, "CLONE_INTO_CGROUP")) {
        std::ifstream mounts("/proc/mounts");
        std::ostringstream text;
        text << mounts.rdbuf();
        EXPECT_FALSE(contains(text.str(), " cgroup2 rw")) << outcome;
        GTEST_SKIP() << "no cgroup v2 that can be written to";
    }
    // Its own cgroup namespace begins there.
    EXPECT_EQ(outcome.out, "0::/\n");
}

TEST_P(GroupLimits, WhoUsesMoreMemoryIsKilled) {
    const std::string program = "x = bytearray(256 << 20); print('had it')";
    const Outcome outcome = run(command({"-m", "64m", "--", "python3", "-c", program}));
    EXPECT_EQ(outcome.code, 137) << outcome;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(run(command({"-m", "1g", "--", "python3", "-c", program})).code, 0);
}

TEST_P(GroupLimits, ProcessesBeyondTheLimitCantBeMade) {
    const std::string script =
        "import os\nn = 0\ntry:\n  while n < 50:\n    if os.fork() == 0: "
        "os.read(os.pipe()[0], 1)\n    n += 1\nexcept BlockingIOError: pass\nprint(n)";
    const Outcome outcome = run(command({"--pids-limit", "10", "--", "python3", "-c", script}));
    EXPECT_EQ(outcome.out, "9\n") << outcome;
}

TEST_P(GroupLimits, TheKernelKeepsWhatWasAskedForAndTheGroupsGoWithTheContainer) {
    Background container(command({"-m", "64m", "--cpus", "0.5", "--pids-limit", "20", "--", "sh", "-c",
                                  "trap 'exit 7' TERM; echo up; sleep 600 & wait"}));
    ASSERT_TRUE(container.wait_for_output("up"));
    EXPECT_EQ(setting(cgroup::memory_controller, "memory.limit_in_bytes", "memory.max"), "67108864");
    EXPECT_EQ(setting(cgroup::pids_controller, "pids.max", "pids.max"), "20");
    EXPECT_EQ(setting(cgroup::cpu_controller, "cpu.cfs_quota_us", "cpu.max"),
              is_v1(cgroup::cpu_controller) ? "50000" : "50000 100000");
    container.kill(SIGTERM);
    EXPECT_EQ(container.wait().code, 7);
    expect_no_groups();
}

TEST_P(GroupLimits, WithoutALimitThereIsNoGroup) {
    Background container(command({"--ulimit", "core=0", "--", "sh", "-c", "echo up; sleep 600"}));
    ASSERT_TRUE(container.wait_for_output("up"));
    expect_no_groups();
}

TEST_P(GroupLimits, WhoMayNotMakeGroupsIsToldWhatIsMissing) {
    RunOptions options;
    options.identity = somebody;
    options.cwd = "/";
    ScratchDirectory programs;
    Arguments argv = command({"-m", "64m", "--", "true"});
    argv[0] = programs.copy(argv[0]);
    const Outcome outcome = run(argv, options);
    EXPECT_EQ(outcome.code, 125);
    EXPECT_TRUE(contains(outcome.err, "memory")) << outcome;
    EXPECT_TRUE(contains(outcome.err, "not delegated")) << outcome;
    expect_no_groups();
}

class ProcessLimits : public Launcher {};
INSTANTIATE_TEST_SUITE_P(Everybody, ProcessLimits,
                         testing::Combine(testing::Values(Caller::root, Caller::user),
                                          testing::Values("flat", "kernel", "host")),
                         name_of);

TEST_P(ProcessLimits, AreSetForTheCommand) {
    const Outcome outcome =
        shell({"--ulimit", "nofile=100:200", "--ulimit", "core=0"}, "ulimit -n; ulimit -Hn; ulimit -c");
    EXPECT_EQ(outcome.out, "100\n200\n0\n") << outcome;
}

TEST_P(ProcessLimits, AboveTheCallersOwnTakeAPrivilege) {
    if (caller() == Caller::root) GTEST_SKIP() << "root may";
    const Outcome outcome = shell({"--ulimit", "nofile=4000000:4000000000"}, "true");
    EXPECT_EQ(outcome.code, 125);
    EXPECT_TRUE(contains(outcome.err, "limit resources: setrlimit: EPERM")) << outcome;
    EXPECT_TRUE(contains(outcome.err, "CAP_SYS_RESOURCE")) << outcome;
}

}  // namespace
}  // namespace ctr::test
