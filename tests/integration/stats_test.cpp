// What containers use, and other limits for them while they run, judged by the kernel.
#include <signal.h>

#include "cgroup/hierarchy.h"
#include "tests/integration/life_fixture.h"
#include "tests/support/loop_device.h"

namespace ctr::test {
namespace {

constexpr uint64_t mib = 1 << 20;

class Usage : public Life {
  protected:
    void SetUp() override {
        if (!is_root()) GTEST_SKIP() << "groups are root's here";
        for (const auto& controller : {cgroup::memory_controller, cgroup::cpu_controller,
                                       cgroup::pids_controller, cgroup::io_controller})
            if (const auto hierarchy = cgroup::find_hierarchy(controller); !hierarchy)
                GTEST_SKIP() << hierarchy.error().message();
    }
    Json stats() const {
        const Outcome outcome = ctr({"stats", "--no-stream", "--json", "c"});
        EXPECT_EQ(outcome.code, 0) << outcome;
        const Json array = Json::parse(outcome.out, nullptr, false);
        return array.is_array() && array.size() == 1 ? array[0] : Json();
    }
    // The text of a control file of one of the container's groups.
    std::string setting(const cgroup::Controller& controller, const std::string& v1,
                        const std::string& v2) const {
        const bool first = cgroup::find_hierarchy(controller)->version == cgroup::Version::v1;
        const Json now = state();
        for (const Json& directory : now["cgroups"]) {
            const std::string text = content(directory.get<std::string>() + "/" + (first ? v1 : v2));
            if (!text.empty()) return text.substr(0, text.find('\n'));
        }
        return "no such file";
    }
    static bool is_v1(const cgroup::Controller& controller) {
        return cgroup::find_hierarchy(controller)->version == cgroup::Version::v1;
    }
};
INSTANTIATE_TEST_SUITE_P(Modes, Usage, testing::Values("flat", "kernel"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(Usage, IsWhatTheGroupsCount) {
    ASSERT_EQ(detach("sleep 60 & echo ready; while :; do :; done",
                     {"-m", "64m", "--cpus", "1", "--pids-limit", "20"})
                  .code,
              0);
    ASSERT_TRUE(logged("ready"));
    const Json first = stats();
    EXPECT_EQ(first["name"], "c");
    EXPECT_EQ(first["pid"], init());
    EXPECT_EQ(first["cpu"]["counted"], "cgroup") << first;
    EXPECT_GT(first["cpu"]["percent"], 0) << first;
    EXPECT_EQ(first["memory"]["counted"], "cgroup") << first;
    EXPECT_EQ(first["memory"]["limit"], 64 * mib) << first;
    EXPECT_GT(first["memory"]["bytes"], 0) << first;
    EXPECT_LT(first["memory"]["bytes"], 64 * mib) << first;
    EXPECT_EQ(first["pids"]["counted"], "cgroup") << first;
    EXPECT_EQ(first["pids"]["current"], 2) << first;
    EXPECT_EQ(first["pids"]["limit"], 20) << first;
    EXPECT_GT(stats()["cpu"]["microseconds"], first["cpu"]["microseconds"]);
}

TEST_P(Usage, OfDevicesIsCountedForEach) {
    const auto loop = attach_loop_device(16 * mib, LoopDevice::Layout::whole);
    if (!loop) GTEST_SKIP() << "no loop device: " << loop.error().message();
    ASSERT_EQ(detach("sleep 60", {"--device-write-bps", loop->path() + ":100mb"}).code, 0);
    EXPECT_EQ(stats()["io"]["writeBytes"], 0);
    const Outcome written = exec("dd if=/dev/zero of=" + loop->path() + " bs=64k count=64 oflag=direct");
    ASSERT_EQ(written.code, 0) << written;
    const Json io = stats()["io"];
    const std::string number =
        std::to_string(loop->major_number()) + ":" + std::to_string(loop->minor_number());
    EXPECT_EQ(io["counted"], "cgroup") << io;
    bool found = false;
    for (const Json& device : io["devices"])
        if (device["device"] == number) {
            found = true;
            EXPECT_EQ(device["writeBytes"], 4 * mib) << io;
            EXPECT_EQ(device["writeOperations"], 64) << io;
        }
    EXPECT_TRUE(found) << io;
}

TEST_P(Usage, IsShownAgainAndAgainUntilTheContainerEnds) {
    ASSERT_EQ(detach("sleep 60").code, 0);
    Background watching(command({"stats", "c"}), with_state());
    ASSERT_TRUE(watching.wait_for_output("NAME"));
    EXPECT_EQ(ctr({"stop", "-t", "0", "c"}).code, 0);
    const Outcome outcome = watching.wait();
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_FALSE(contains(outcome.out, "\x1b")) << "that is for terminals";
    EXPECT_EQ(ctr({"stats", "--no-stream", "c"}).code, 125) << "it doesn't run";
    EXPECT_EQ(ctr({"stats", "--no-stream", "--json"}).out, "[]\n");
}

TEST_P(Usage, LimitsAreChangedWhileItRuns) {
    ASSERT_EQ(detach("sleep 60", {"-m", "64m", "--cpus", "1", "--pids-limit", "20"}).code, 0);
    const Outcome lower = ctr({"update", "-m", "32m", "--cpus", "0.5", "--pids-limit", "3", "c"});
    EXPECT_EQ(lower.code, 0) << lower;
    EXPECT_EQ(lower.out, "c\n");
    EXPECT_EQ(setting(cgroup::memory_controller, "memory.limit_in_bytes", "memory.max"), "33554432");
    EXPECT_EQ(setting(cgroup::pids_controller, "pids.max", "pids.max"), "3");
    EXPECT_EQ(setting(cgroup::cpu_controller, "cpu.cfs_quota_us", "cpu.max"),
              is_v1(cgroup::cpu_controller) ? "50000" : "50000 100000");
    EXPECT_EQ(state()["limits"], (Json{{"memory", 32 * mib}, {"cpuQuota", 50000}, {"pids", 3}}));
    EXPECT_NE(exec("sleep 1 & sleep 1 & sleep 1 & sleep 1 & wait").code, 0) << "so many can't be made";
    // Under v1 the limit of memory with swap goes first.
    EXPECT_EQ(ctr({"update", "-m", "256m", "c"}).code, 0);
    EXPECT_EQ(setting(cgroup::memory_controller, "memory.limit_in_bytes", "memory.max"), "268435456");
    EXPECT_EQ(state()["limits"]["memory"], 256 * mib);
    EXPECT_EQ(state()["limits"]["pids"], 3);
    EXPECT_EQ(ctr({"update", "-m", "256m", "--cpus", "0", "--pids-limit", "-1", "c"}).code, 0);
    EXPECT_EQ(setting(cgroup::pids_controller, "pids.max", "pids.max"), "max");
    EXPECT_EQ(setting(cgroup::cpu_controller, "cpu.cfs_quota_us", "cpu.max"),
              is_v1(cgroup::cpu_controller) ? "-1" : "max 100000");
    EXPECT_EQ(state()["limits"], (Json{{"memory", 256 * mib}}));
    EXPECT_EQ(ctr({"stop", "-t", "0", "c"}).code, 0);
    EXPECT_EQ(state()["limits"]["memory"], 256 * mib) << "the end is written over nothing else";
    const Outcome late = ctr({"update", "-m", "64m", "c"});
    EXPECT_EQ(late.code, 125);
    EXPECT_TRUE(contains(late.err, "doesn't run")) << late;
}

TEST_P(Usage, LimitsOfDevicesAreChangedWhileItRuns) {
    const auto loop = attach_loop_device(16 * mib, LoopDevice::Layout::whole);
    if (!loop) GTEST_SKIP() << "no loop device: " << loop.error().message();
    ASSERT_EQ(
        detach("sleep 60", {"--device-write-bps", loop->path() + ":100mb", "--io-throttle=kernel"}).code, 0);
    const Outcome changed = ctr({"update", "--device-write-bps", loop->path() + ":2mb", "--device-read-iops",
                                 loop->path() + ":50", "c"});
    EXPECT_EQ(changed.code, 0) << changed;
    const std::string number =
        std::to_string(loop->major_number()) + ":" + std::to_string(loop->minor_number());
    EXPECT_EQ(setting(cgroup::io_controller, "blkio.throttle.write_bps_device", "io.max"),
              is_v1(cgroup::io_controller) ? number + " 2097152"
                                           : number + " rbps=max wbps=2097152 riops=50 wiops=max");
    EXPECT_EQ(state()["limits"]["devices"],
              (Json::array({{{"path", loop->path()}, {"writeBytes", 2 * mib}, {"readOperations", 50}}})));
}

TEST_P(Usage, LessMemoryThanIsInUseIsRefused) {
    if (std::string swaps = content("/proc/swaps"); contains(swaps.substr(swaps.find('\n')), "/"))
        GTEST_SKIP() << "this host can swap it out";
    ASSERT_EQ(
        detach("exec perl -e '$| = 1; $x = \"x\" x (48 << 20); print \"ready\\n\"; sleep 60'", {"-m", "128m"})
            .code,
        0);
    ASSERT_TRUE(logged("ready"));
    const Outcome refused = ctr({"update", "-m", "20m", "c"});
    EXPECT_EQ(refused.code, 125);
    EXPECT_TRUE(contains(refused.err, "in use")) << refused;
    EXPECT_EQ(state()["status"], "running");
    EXPECT_EQ(state()["limits"]["memory"], 128 * mib);
}

TEST_P(Usage, WhatCannotBeLimitedIsSaid) {
    ASSERT_EQ(detach("sleep 60").code, 0);
    const Outcome none = ctr({"update", "c"});
    EXPECT_EQ(none.code, 125);
    EXPECT_TRUE(contains(none.err, "no limit is among them")) << none;
    const Outcome device = ctr({"update", "--device-read-bps", "/nope:1mb", "c"});
    EXPECT_EQ(device.code, 125);
    EXPECT_TRUE(contains(device.err, "/nope")) << device;
    EXPECT_EQ(state()["limits"], Json::object());
}

// An ordinary user without a group of its own.
class UsersUsage : public Usage {};
INSTANTIATE_TEST_SUITE_P(Modes, UsersUsage, testing::Values("flat", "kernel"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(UsersUsage, IsAddedUpFromTheProcesses) {
    RunOptions options;
    options.identity = somebody;
    if (test::run({"unshare", "-U", "true"}, options).code != 0)
        GTEST_SKIP() << "user namespaces are not available here";
    const ScratchDirectory runtime;
    ASSERT_EQ(chown(runtime.path().c_str(), somebody.uid, somebody.gid), 0);
    const ScratchDirectory programs;
    const std::string binary = programs.copy(ctr_binary());
    options.env = {{"XDG_RUNTIME_DIR", runtime.path()}};
    const auto as_user = [&](Arguments arguments) {
        arguments.insert(arguments.begin(), binary);
        return test::run(arguments, options);
    };
    const Outcome started = as_user({"run", "-d", "--name", "c", std::string("--pidns=") + GetParam(), "--",
                                     "sh", "-c", "sleep 60 & echo ready; while :; do :; done", mark_});
    ASSERT_EQ(started.code, 0) << started;
    ASSERT_TRUE(eventually([&] { return contains(as_user({"logs", "c"}).out, "ready"); }));
    const Outcome outcome = as_user({"stats", "--no-stream", "--json", "c"});
    ASSERT_EQ(outcome.code, 0) << outcome;
    const Json stats = Json::parse(outcome.out, nullptr, false)[0];
    EXPECT_EQ(stats["cpu"]["counted"], "processes") << stats;
    EXPECT_GT(stats["cpu"]["microseconds"], 0) << stats;
    EXPECT_EQ(stats["memory"]["counted"], "pss") << stats;
    EXPECT_GT(stats["memory"]["bytes"], 0) << stats;
    EXPECT_EQ(stats["pids"]["counted"], "processes") << stats;
    EXPECT_EQ(stats["pids"]["current"], 2) << stats;
    EXPECT_TRUE(stats["io"]["readOperations"].is_null()) << stats;
    EXPECT_TRUE(contains(as_user({"stats", "--no-stream"}).out, "* no cgroup counts it"));
    const Outcome refused = as_user({"update", "-m", "64m", "c"});
    EXPECT_EQ(refused.code, 125);
    EXPECT_TRUE(contains(refused.err, "no cgroup of the container has the memory controller")) << refused;
    EXPECT_EQ(as_user({"rm", "-f", "c"}).code, 0);
}

}  // namespace
}  // namespace ctr::test
