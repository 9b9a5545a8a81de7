// ctr bench seeds, io, scaling and list with real programs, containers and devices.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <set>

#include <nlohmann/json.hpp>

#include "tests/integration/launcher_fixture.h"
#include "tests/support/loop_device.h"
#include "tests/support/process.h"

namespace ctr::test {
namespace {

using Json = nlohmann::json;

RunOptions patient() {
    RunOptions options;
    options.timeout_seconds = 300;
    return options;
}

Outcome bench(Arguments arguments) {
    arguments.insert(arguments.begin(), {ctr_binary(), "bench"});
    return run(arguments, patient());
}

// Those whose files are of ctr bench.
size_t loop_devices() {
    size_t count = 0;
    for (const auto& entry : fs::directory_iterator("/sys/block")) {
        std::ifstream file(entry.path() / "loop/backing_file");
        std::string name;
        if (std::getline(file, name) && contains(name, "/ctr-disk-")) ++count;
    }
    return count;
}

class BenchIo : public testing::Test {
  protected:
    void SetUp() override {
        if (!is_root()) GTEST_SKIP() << "needs root";
        if (const auto loop = attach_loop_device(1 << 20); !loop)
            GTEST_SKIP() << "no loop device: " << loop.error().message();
        if (run({"sh", "-c", "PATH=$PATH:/sbin:/usr/sbin; command -v mkfs.ext2"}).code != 0)
            GTEST_SKIP() << "mkfs.ext2 is missing";
    }
    const ScratchDirectory directory_;
};

TEST_F(BenchIo, MakesFileSystemsOnDevicesOfItsOwn) {
    const Outcome outcome = bench({"io", "--size", "64m", "--files", directory_.path(), "--rounds", "2",
                                   "--quick", "--warmup", "0", "--json", directory_.path() + "/report"});
    ASSERT_EQ(outcome.code, 0) << outcome;
    EXPECT_TRUE(contains(outcome.out, "overhead")) << outcome;
    std::ifstream file(directory_.path() + "/report");
    const Json report = Json::parse(file);
    const Json mkfs = report.at("recordings").at(0);
    std::set<std::string> subjects;
    for (const Json& subject : mkfs.at("subjects")) {
        subjects.insert(subject.at("name"));
        for (const Json& sample : subject.at("samples")) EXPECT_GT(sample.at(0).get<double>(), 0);
    }
    EXPECT_EQ(subjects, (std::set<std::string>{"no cgroup", "no cgroup again", "a cgroup",
                                               "limit, the kernel's", "limit, ctr's"}));
    EXPECT_EQ(loop_devices(), 0U);
}

TEST_F(BenchIo, LeavesNoDeviceAfterSigkill) {
    const Background io({ctr_binary(), "bench", "io", "--size", "64m", "--files", directory_.path(),
                         "--quick", "--rounds", "1000"});
    for (int i = 0; i < 100 && loop_devices() < 2; ++i) run({"sleep", "0.1"});
    ASSERT_EQ(loop_devices(), 2U) << io.err();
    io.kill(SIGKILL);
    for (int i = 0; i < 100 && loop_devices() > 0; ++i) run({"sleep", "0.1"});
    EXPECT_EQ(loop_devices(), 0U);
}

TEST_F(BenchIo, WritesOverEmptyDevicesOnly) {
    constexpr uint64_t size = 64 << 20;
    const auto first = attach_loop_device(size);
    const auto second = attach_loop_device(size);
    ASSERT_TRUE(first && second);
    const Arguments devices = {"io", "--quick",  "--rounds",    "1",        "--warmup",
                               "0",  "--device", first->path(), "--device", second->path()};
    ASSERT_EQ(bench(devices).code, 0) << "empty ones";
    const Outcome refused = bench(devices);
    EXPECT_EQ(refused.code, 125) << refused;
    EXPECT_TRUE(contains(refused.err, "it isn't empty")) << refused;
    EXPECT_TRUE(contains(refused.err, "--force")) << refused;
    Arguments forced = devices;
    forced.emplace_back("--force");
    EXPECT_EQ(bench(forced).code, 0);

    const ScratchDirectory place;
    ASSERT_EQ(run({"sh", "-c", "PATH=$PATH:/sbin:/usr/sbin; mkfs.ext2 -q -F " + first->path()}).code, 0);
    const auto mounted = MountedDevice::mount(first->path(), place.path(), "ext2");
    if (!mounted) GTEST_SKIP() << "ext2 can't be mounted: " << mounted.error().message();
    const Outcome in_use = bench(forced);
    EXPECT_EQ(in_use.code, 125) << in_use;
    EXPECT_TRUE(contains(in_use.err, "it is in use")) << in_use;
}

TEST(BenchIoOfUsers, IsRefusedWithTheReason) {
    RunOptions options = patient();
    const ScratchDirectory programs;
    if (is_root()) options.identity = somebody;
    const Outcome outcome = run({programs.copy(ctr_binary()), "bench", "io", "--quick"}, options);
    EXPECT_EQ(outcome.code, 125) << outcome;
    EXPECT_TRUE(contains(outcome.err, "an ordinary user has none to write to")) << outcome;
    EXPECT_TRUE(contains(outcome.err, "run it as root")) << outcome;
}

TEST(BenchSeeds, HasThenAndNow) {
    const Outcome outcome =
        bench({"seeds", "--quick", "--table", "inside", "--rounds", "1", "--warmup", "0"});
    ASSERT_EQ(outcome.code, 0) << outcome;
    EXPECT_TRUE(contains(outcome.out, "Inside of a namespace (2007)")) << outcome;
    EXPECT_TRUE(contains(outcome.out, "10.6 %")) << outcome;
    EXPECT_FALSE(contains(outcome.out, "skipped")) << outcome;
    EXPECT_FALSE(contains(outcome.out, "nsproxy")) << "only one table was asked for";
}

TEST(BenchSeeds, WhatCannotRunIsSkippedWithTheReason) {
    const Outcome outcome =
        bench({"seeds", "--table", "mkfs", "--quick", "--rounds", "1", "--files", "/nonexistent"});
    EXPECT_EQ(outcome.code, 0) << outcome;
    EXPECT_TRUE(contains(outcome.out, "mkfs, with and without a limit (2009)\nskipped: ")) << outcome;
    const Outcome wrong = bench({"seeds", "--table", "insid"});
    EXPECT_EQ(wrong.code, 125) << wrong;
    EXPECT_TRUE(contains(wrong.err, "did you mean inside?")) << wrong;
}

TEST(BenchScaling, HasAPointForEachNumberOfContainers) {
    const ScratchDirectory directory;
    const std::string page = directory.path() + "/page";
    const Outcome outcome = bench({"scaling", "--along", "parallel", "--along", "depth", "--quick",
                                   "--rounds", "1", "--warmup", "0", "--html", page});
    ASSERT_EQ(outcome.code, 0) << outcome;
    for (const char* part : {"containers at once", "containers in containers", "parallel 50", "depth 31"})
        EXPECT_TRUE(contains(outcome.out, part)) << part << "\n" << outcome;
    EXPECT_FALSE(contains(outcome.out, "failed")) << outcome;
    std::ifstream file(page);
    const std::string html{std::istreambuf_iterator<char>(file), {}};
    EXPECT_TRUE(contains(html, "<polyline"));
}

TEST(BenchList, NamesWhatComesWithCtr) {
    const Outcome outcome = bench({"list"});
    ASSERT_EQ(outcome.code, 0) << outcome;
    for (const char* name : {"spawn", "shell8", "nptl_perf", "kernbench", "dbench", "reaim-9", "mkfs"})
        EXPECT_TRUE(contains(outcome.out, std::string("\n") + name + ' ')) << name << "\n" << outcome;
    EXPECT_EQ(bench({"list", "more"}).code, 125);
}

}  // namespace
}  // namespace ctr::test
