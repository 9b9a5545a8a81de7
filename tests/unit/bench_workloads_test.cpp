// The workloads that come with ctr, and what they need.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "cmd/bench/device_options.h"
#include "cmd/bench/kernel_tree.h"
#include "cmd/bench/programs.h"
#include "cmd/bench/raw_device.h"
#include "cmd/bench/scaling.h"
#include "cmd/bench/workloads.h"
#include "cmd/bench_options.h"
#include "tests/support/process.h"

namespace ctr::bench {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
}

TEST(BenchWorkloads, HaveNamesOfTheirOwn) {
    std::set<std::string> names;
    for (const BuiltIn& one : built_in_workloads()) {
        EXPECT_TRUE(names.insert(one.name).second) << one.name;
        EXPECT_STRNE(one.what, "");
        EXPECT_STRNE(one.source, "");
    }
}

TEST(BenchWorkloads, AreCompletedByTheirNames) {
    const cmd::Option* option = cmd::by_name(cmd::bench_options(), "workload");
    ASSERT_NE(option, nullptr);
    const std::string candidates = ' ' + std::string(option->candidates) + ' ';
    for (const BuiltIn& one : built_in_workloads())
        EXPECT_NE(candidates.find(' ' + std::string(one.name) + ' '), std::string::npos) << one.name;
}

TEST(BenchWorkloads, AnUnknownNameIsRefusedWithTheNearest) {
    const auto none = make_workload("spwan", true);
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().message().find("did you mean spawn?"), std::string::npos)
        << none.error().message();
}

TEST(BenchWorkloads, AMissingProgramIsNamedWithItsPackage) {
    EXPECT_TRUE(need_program("sh", "dash"));
    const auto none = need_program("no-such-program", "some-package");
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().hint, "apt-get install some-package");
    const auto ours = own_program("no-such-program");
    ASSERT_FALSE(ours);
    EXPECT_NE(ours.error().message().find("CTR_EXAMPLES"), std::string::npos);
}

TEST(BenchKernelTree, IsTheGivenOneOrTheNewestUnpacked) {
    const test::ScratchDirectory scratch;
    const std::string root = scratch.path();
    const auto none = find_kernel_tree("", root);
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().hint.find("apt-get install linux-source"), std::string::npos);
    EXPECT_FALSE(find_kernel_tree(root)) << "no tree";
    write(root + "/usr/src/linux-source-6.1.tar.xz", "");
    EXPECT_NE(find_kernel_tree("", root).error().hint.find("linux-source-6.1.tar.xz"), std::string::npos);
    for (const char* name : {"linux-source-5.10", "linux-source-6.1"})
        for (const char* file : {"Makefile", "Kconfig"}) write(root + "/usr/src/" + name + "/" + file, "");
    write(root + "/usr/src/linux-headers-9/Makefile", "");
    EXPECT_EQ(find_kernel_tree("", root), root + "/usr/src/linux-source-6.1");
    EXPECT_EQ(find_kernel_tree(root + "/usr/src/linux-source-5.10"), root + "/usr/src/linux-source-5.10");
}

TEST(BenchRawDevice, OnlyABlockDeviceIsOne) {
    for (const char* path : {"/dev/null", "/etc", "/nonexistent"})
        EXPECT_FALSE(RawDevice::examine(path, Contents::may_be_lost)) << path;
}

Result<IoOptions> devices_of(const std::vector<std::string>& words) {
    const auto given = cmd::Given::read(cmd::bench_options(), words);
    if (!given) return std::unexpected(given.error());
    return take_devices(*given, true);
}

TEST(BenchDevices, AreLoopDevicesInMemoryOrNamed) {
    const auto usual = devices_of({});
    ASSERT_TRUE(usual) << usual.error().message();
    EXPECT_EQ(usual->directory, "/dev/shm");
    EXPECT_EQ(usual->bytes, quick_bytes);
    const auto named = devices_of({"--device", "/dev/a", "--device", "/dev/b", "--force"});
    ASSERT_TRUE(named) << named.error().message();
    EXPECT_EQ(named->devices, (std::vector<std::string>{"/dev/a", "/dev/b"}));
    EXPECT_TRUE(named->force);
    EXPECT_FALSE(devices_of({"--size", "1m"}));
    EXPECT_FALSE(devices_of({"--size", "much"}));
    EXPECT_FALSE(devices_of({"--device", "/dev/a", "--size", "1g"}));
}

TEST(BenchScaling, AsksFirstWhetherTheProcessesCanBeHad) {
    const test::ScratchDirectory scratch;
    const std::string kernel = scratch.path() + "/proc/sys/kernel/";
    write(kernel + "pid_max", "4194304\n");
    write(kernel + "threads-max", "100000\n");
    write(scratch.path() + "/proc/meminfo", "MemTotal: 9999999 kB\nMemAvailable: 1000000 kB\n");
    EXPECT_EQ(too_many_processes(100, scratch.path()), "");
    EXPECT_NE(too_many_processes(20000, scratch.path()).find("MiB of memory"), std::string::npos);
    write(kernel + "pid_max", "1000\n");
    EXPECT_NE(too_many_processes(900, scratch.path()).find("pid_max is 1000"), std::string::npos);
}

}  // namespace
}  // namespace ctr::bench
