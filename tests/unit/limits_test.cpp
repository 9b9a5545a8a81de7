#include "cgroup/limits.h"

#include <gtest/gtest.h>

#include "cgroup/backend.h"
#include "runtime/ulimit.h"

namespace ctr {
namespace {

using cgroup::parse_cpus;
using cgroup::parse_memory;

template <class T>
void expect_refused(const Result<T>& result, const std::string& text, const std::string& why) {
    ASSERT_FALSE(result) << text;
    const std::string message = result.error().message();
    EXPECT_NE(message.find("\"" + text + "\""), std::string::npos) << message;
    EXPECT_NE(message.find(why), std::string::npos) << message;
}

TEST(Limits, ProcessorsAreAQuotaOfTheKernelsPeriod) {
    EXPECT_EQ(parse_cpus("1").value(), 100'000U);
    EXPECT_EQ(parse_cpus("1.5").value(), 150'000U);
    EXPECT_EQ(parse_cpus("0.25").value(), 25'000U);
    EXPECT_EQ(parse_cpus("0.01").value(), 1'000U);
    EXPECT_EQ(parse_cpus("2.00001").value(), 200'001U);
}

TEST(Limits, WhatIsNoNumberOfProcessorsIsQuoted) {
    for (const char* text : {"", "x", "1x", "-1", "+1", " 1", ".5", "1,5", "1e3", "1.5.1"})
        expect_refused(parse_cpus(text), text, "no number");
    expect_refused(parse_cpus("1."), "1.", "no digit");
    expect_refused(parse_cpus("1.123456"), "1.123456", "five digits");
    expect_refused(parse_cpus("0"), "0", "zero");
    expect_refused(parse_cpus("99999999999999999999"), "99999999999999999999", "too large");
    EXPECT_NE(parse_cpus("0.005").error().message().find("at least 0.01 processors"), std::string::npos);
}

TEST(Limits, MemoryHasUnitsAndALeast) {
    EXPECT_EQ(parse_memory("512m").value(), 512U << 20);
    EXPECT_EQ(parse_memory("1.5GiB").value(), 3U << 29);
    EXPECT_EQ(parse_memory("1048576").value(), 1U << 20);
    expect_refused(parse_memory("1q"), "1q", "not a unit");
    expect_refused(parse_memory("1m/s"), "1m/s", "not a unit");
    EXPECT_NE(parse_memory("4k").error().message().find("at least 1MiB of memory"), std::string::npos);
}

TEST(Limits, AreSaidInWords) {
    EXPECT_EQ(describe(cgroup::Limits{}), "");
    EXPECT_EQ(
        describe(cgroup::Limits{
            .io = {{.path = "/srv", .write_bytes = 5 << 20}}, .memory = 64 << 20, .cpu = 150'000, .pids = 7}),
        "64MiB of memory; 1.5 processors; 7 processes and threads; /srv: reads: not limited; writes: "
        "5MiB/s");
}

TEST(Limits, NeedTheirControllersOnly) {
    EXPECT_TRUE(cgroup::controllers_of({}).empty());
    EXPECT_EQ(cgroup::controllers_of({.io = {}, .pids = 1}), std::vector{cgroup::pids_controller});
    EXPECT_EQ(cgroup::controllers_of({.io = {{.path = "/x"}}, .memory = 1 << 20}),
              (std::vector{cgroup::io_controller, cgroup::memory_controller}));
    EXPECT_EQ(cgroup::controllers_of({.io = {{.path = "/x"}}, .io_weight = 10}),
              std::vector{cgroup::io_controller});
}

TEST(Limits, ThatTheKernelWouldRefuseAreRefused) {
    EXPECT_TRUE(validate(cgroup::Limits{.io = {}, .memory = 1 << 20, .cpu = 1000, .pids = 1}));
    EXPECT_FALSE(validate(cgroup::Limits{.io = {}, .memory = 1}));
    EXPECT_FALSE(validate(cgroup::Limits{.io = {}, .cpu = 999}));
    EXPECT_FALSE(validate(cgroup::Limits{.io = {}, .pids = UINT64_MAX}));
    EXPECT_TRUE(validate(cgroup::Limits{.io = {}, .io_weight = 10}));
    EXPECT_FALSE(validate(cgroup::Limits{.io = {}, .io_weight = 9}));
    EXPECT_FALSE(validate(cgroup::Limits{.io = {}, .io_weight = 1001}));
}

std::string settings(const cgroup::Backend& backend, const cgroup::Limits& limits) {
    std::string text;
    for (const cgroup::Quantity& quantity : cgroup::quantities)
        if (limits.*quantity.member != 0)
            for (const cgroup::Setting& setting : backend.settings(quantity, limits.*quantity.member))
                text += setting.file + "=" + setting.text + "\n";
    return text;
}

TEST(Limits, BecomeTheFilesOfEachVersion) {
    const cgroup::Limits limits{.io = {}, .memory = 1 << 20, .cpu = 150'000, .pids = 7, .io_weight = 200};
    EXPECT_EQ(settings(cgroup::v1_backend(), limits),
              "memory.limit_in_bytes=1048576\nmemory.memsw.limit_in_bytes=2097152\n"
              "cpu.cfs_period_us=100000\ncpu.cfs_quota_us=150000\npids.max=7\nblkio.bfq.weight=200\nblkio."
              "weight=200\n");
    EXPECT_EQ(settings(cgroup::v2_backend(), limits),
              "memory.max=1048576\nmemory.swap.max=1048576\ncpu.max=150000 "
              "100000\npids.max=7\nio.bfq.weight=200\nio.weight=200\n");
}

TEST(Ulimits, AreReadAsDockerSpellsThem) {
    EXPECT_EQ(parse_ulimit("nofile=1024:2048").value(), (Ulimit{RLIMIT_NOFILE, 1024, 2048}));
    EXPECT_EQ(parse_ulimit("nproc=100").value(), (Ulimit{RLIMIT_NPROC, 100, 100}));
    EXPECT_EQ(parse_ulimit("core=-1").value(), (Ulimit{RLIMIT_CORE, RLIM_INFINITY, RLIM_INFINITY}));
    EXPECT_EQ(parse_ulimit("stack=8192:unlimited").value(), (Ulimit{RLIMIT_STACK, 8192, RLIM_INFINITY}));
    EXPECT_EQ(format(parse_ulimit("stack=8192:unlimited").value()), "stack=8192:unlimited");
}

TEST(Ulimits, WhatIsNoneIsQuoted) {
    expect_refused(parse_ulimit("nofile"), "nofile", "no \"=\"");
    expect_refused(parse_ulimit("files=1"), "files", "none of core, cpu");
    expect_refused(parse_ulimit("nofile=1x"), "1x", "no limit");
    expect_refused(parse_ulimit("nofile=1:"), "", "no limit");
    expect_refused(parse_ulimit("nofile=-2"), "-2", "no limit");
    expect_refused(parse_ulimit("nofile=2:1"), "nofile=2:1", "above");
}

}  // namespace
}  // namespace ctr
