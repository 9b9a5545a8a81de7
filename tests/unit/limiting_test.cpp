// Who is to keep which limit.
#include "runtime/limiting.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "cmd/options.h"

namespace ctr {
namespace {

constexpr uint64_t mib = 1 << 20;
const Status there;
const Status nowhere = fail_input("find the hierarchy", "there is none");

Limiting chosen(const std::vector<std::string>& words, const Status& kernel = there) {
    auto arguments = words;
    arguments.emplace_back("true");
    const auto options = cmd::parse_run(arguments, {});
    EXPECT_TRUE(options) << options.error().message();
    auto limiting = choose_limiting(options->spec, {}, kernel);
    EXPECT_TRUE(limiting) << limiting.error().message();
    return limiting.value_or(Limiting{});
}

const cgroup::IoLimit writes{.path = "/a", .write_bytes = mib};
const cgroup::IoLimit reads{.path = "/a", .read_bytes = mib};
using Io = std::vector<cgroup::IoLimit>;

TEST(Limiting, KeepsWritesWithTheKernelAndTheGateStandsBy) {
    const Limiting limiting = chosen({"--device-write-bps", "/a:1mb"});
    EXPECT_EQ(limiting.kernel.io, Io{writes});
    EXPECT_EQ(limiting.standby, Io{writes});
    EXPECT_TRUE(limiting.gated.empty());
}

TEST(Limiting, ReadsAreAlwaysTheKernels) {
    for (const char* who : {"auto", "user", "kernel"}) {
        const Limiting limiting = chosen({"--io-throttle", who, "--device-read-bps", "/a:1mb"});
        EXPECT_EQ(limiting.kernel.io, Io{reads});
        EXPECT_TRUE(limiting.gated.empty());
        EXPECT_TRUE(limiting.standby.empty());
    }
    const Limiting both = chosen({"--io-throttle=user", "--io-max", "/a: rbps=1mb wbps=1mb"});
    EXPECT_EQ(both.kernel.io, Io{reads});
    EXPECT_EQ(both.gated, Io{writes});
}

TEST(Limiting, WhatNamesAStrategyIsTheGates) {
    const Limiting limiting = chosen({"--io-max", "/a: wbps=1mb wiops=5:token"});
    EXPECT_EQ(limiting.kernel.io, Io{writes});
    EXPECT_EQ(limiting.standby, Io{writes});
    ASSERT_EQ(limiting.gated.size(), 1U);
    EXPECT_EQ(limiting.gated[0].write_operations, 5U);
    EXPECT_EQ(limiting.gated[0].write_bytes, 0U);
}

TEST(Limiting, WithTheKernelAloneThereIsNoGate) {
    const Limiting limiting = chosen({"--io-throttle", "kernel", "--device-write-bps", "/a:1mb"}, nowhere);
    EXPECT_EQ(limiting.kernel.io, Io{writes});
    EXPECT_TRUE(limiting.standby.empty());
    const auto options =
        cmd::parse_run({"--io-throttle", "kernel", "--device-write-bps", "/a:1mb:leaky", "true"}, {});
    ASSERT_FALSE(options);
    EXPECT_NE(options.error().message().find("/a names a strategy"), std::string::npos);
}

TEST(Limiting, WithoutAControllerTheGateHasItAllIfItCan) {
    const Limiting limiting = chosen({"--device-write-bps", "/a:1mb", "--memory", "64m"}, nowhere);
    EXPECT_TRUE(limiting.kernel.io.empty());
    EXPECT_EQ(limiting.kernel.memory, 64 * mib);
    EXPECT_EQ(limiting.gated, Io{writes});
    EXPECT_NE(limiting.why.find("there is none"), std::string::npos);
    // Reads and weights take the controller: that it is missing will be an error.
    EXPECT_FALSE(chosen({"--io-max", "/a: rbps=1mb wbps=1mb"}, nowhere).kernel.io.empty());
    EXPECT_FALSE(chosen({"--blkio-weight=10", "--device-write-bps", "/a:1mb"}, nowhere).kernel.io.empty());
}

TEST(Limiting, InsideOfANumberedContainerThereIsNoGate) {
    HostFacts facts;
    facts.numbered = true;
    Spec spec;
    spec.limits.io = {writes};
    const auto kernel_alone = choose_limiting(spec, facts, there);
    ASSERT_TRUE(kernel_alone);
    EXPECT_EQ(kernel_alone->kernel.io, Io{writes});
    EXPECT_TRUE(kernel_alone->standby.empty());
    EXPECT_FALSE(may_slow_writers(spec, facts));
    spec.io_throttle = IoThrottle::user;
    const auto refused = choose_limiting(spec, facts, there);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find("outer container"), std::string::npos);
}

TEST(Limiting, BelowAnotherListenerTheKernelIsLeft) {
    HostFacts facts;
    facts.listened = true;
    Spec spec;
    spec.limits.io = {writes};
    EXPECT_FALSE(may_slow_writers(spec, facts));
    EXPECT_EQ(choose_limiting(spec, facts, there)->kernel.io, Io{writes});
    const auto nobody = choose_limiting(spec, facts, nowhere);
    ASSERT_FALSE(nobody);
    EXPECT_NE(nobody.error().message().find("there is none; and ctr can't"), std::string::npos)
        << nobody.error().message();
    EXPECT_NE(nobody.error().message().find("outer container"), std::string::npos);
}

TEST(Limiting, GateAndKernelHaveAllBetweenThem) {
    const cgroup::Pace token{cgroup::Strategy::token, 0};
    const Io all{{.path = "/a",
                  .read_bytes = 1,
                  .write_bytes = 2,
                  .write_operations = 3,
                  .write_operations_pace = token,
                  .latency = 4}};
    EXPECT_EQ(gates_part(all, true),
              (Io{{.path = "/a", .write_bytes = 2, .write_operations = 3, .write_operations_pace = token}}));
    EXPECT_EQ(kernels_part(all, true), (Io{{.path = "/a", .read_bytes = 1, .latency = 4}}));
    EXPECT_EQ(gates_part(all, false),
              (Io{{.path = "/a", .write_operations = 3, .write_operations_pace = token}}));
    EXPECT_EQ(kernels_part(all, false),
              (Io{{.path = "/a", .read_bytes = 1, .write_bytes = 2, .latency = 4}}));
}

TEST(Limiting, APathHasOneSpelling) {
    const cgroup::Limits limits =
        with_whole_paths({.io = {{.path = "/usr/../usr/./bin"}, {.path = "."}, {.path = "/no/such/../x"}}});
    EXPECT_EQ(limits.io[0].path, std::filesystem::canonical("/usr/bin"));
    EXPECT_EQ(limits.io[1].path, std::filesystem::current_path());
    EXPECT_EQ(limits.io[2].path, "/no/x");
}

TEST(Limiting, OnlyLimitsOnWritesTakeAFilter) {
    Spec spec;
    EXPECT_FALSE(may_slow_writers(spec, {}));
    spec.limits.io = {reads};
    EXPECT_FALSE(may_slow_writers(spec, {}));
    spec.limits.io = {writes};
    EXPECT_TRUE(may_slow_writers(spec, {}));
    spec.io_throttle = IoThrottle::kernel;
    EXPECT_FALSE(may_slow_writers(spec, {}));
}

}  // namespace
}  // namespace ctr
