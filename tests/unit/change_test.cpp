// Other limits in the place of those that are, as values, as the texts of control files, and on their way to
// the write gate.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <filesystem>
#include <fstream>

#include "cgroup/backend.h"
#include "cgroup/limits.h"
#include "cgroup/setting.h"
#include "runtime/gate_messages.h"
#include "tests/support/process.h"

namespace ctr {
namespace {

using cgroup::unlimited;

TEST(ChangeOfLimits, WhatIsNotNamedStays) {
    cgroup::Limits limits;
    limits.memory = 1 << 20;
    limits.pids = 7;
    limits.io = {{.path = "/a", .read_bytes = 1, .write_bytes = 2}};
    cgroup::Limits changed;
    changed.memory = 2 << 20;
    changed.io_weight = 200;
    changed.io = {{.path = "/a", .write_bytes = 3, .latency = 5}, {.path = "/b", .read_operations = 4}};
    cgroup::change(changed, limits);
    EXPECT_EQ(limits.memory, 2U << 20);
    EXPECT_EQ(limits.pids, 7U);
    EXPECT_EQ(limits.cpu, 0U);
    EXPECT_EQ(limits.io_weight, 200U);
    EXPECT_EQ(limits.io,
              (std::vector<cgroup::IoLimit>{{.path = "/a", .read_bytes = 1, .write_bytes = 3, .latency = 5},
                                            {.path = "/b", .read_operations = 4}}));
}

TEST(ChangeOfLimits, AStrategyStaysUntilAnotherIsNamedOrNothingIsLimited) {
    const cgroup::Pace token{cgroup::Strategy::token, 9};
    const cgroup::Pace leaky{cgroup::Strategy::leaky, 0};
    cgroup::Limits limits;
    limits.io = {{.path = "/a", .write_bytes = 1, .write_operations = 2, .write_bytes_pace = token}};
    cgroup::change({.io = {{.path = "/a", .write_bytes = 5}}}, limits);
    EXPECT_EQ(limits.io[0].write_bytes, 5U);
    EXPECT_EQ(limits.io[0].write_bytes_pace, token);
    cgroup::change({.io = {{.path = "/a", .write_bytes = 5, .write_bytes_pace = leaky}}}, limits);
    EXPECT_EQ(limits.io[0].write_bytes_pace, leaky);
    cgroup::change({.io = {{.path = "/a", .write_bytes = unlimited}}}, limits);
    EXPECT_EQ(limits.io[0], (cgroup::IoLimit{.path = "/a", .write_operations = 2}));
}

TEST(ChangeOfLimits, LiftsWhatIsNoLongerLimited) {
    cgroup::Limits limits{.io = {{.path = "/a", .write_bytes = 1, .latency = 2}},
                          .memory = 1 << 20,
                          .cpu = 1000,
                          .pids = 7,
                          .io_weight = 100};
    cgroup::change({.io = {{.path = "/a", .write_bytes = unlimited, .latency = unlimited}},
                    .memory = unlimited,
                    .cpu = unlimited,
                    .pids = unlimited,
                    .io_weight = unlimited},
                   limits);
    EXPECT_EQ(limits, cgroup::Limits{});
}

std::string lifted(const cgroup::Backend& backend) {
    std::string text;
    for (const cgroup::Quantity& quantity : cgroup::quantities)
        for (const cgroup::Setting& setting : backend.settings(quantity, unlimited))
            text += setting.file + "=" + setting.text + "\n";
    const auto devices = backend.settings({7, 0}, {.path = "x", .write_bytes = unlimited});
    for (const cgroup::Setting& setting : *devices) text += setting.file + "=" + setting.text + "\n";
    return text;
}

TEST(ChangeOfLimits, LiftsInTheWordsOfEachVersion) {
    EXPECT_EQ(lifted(cgroup::v1_backend()),
              "memory.limit_in_bytes=-1\nmemory.memsw.limit_in_bytes=-1\ncpu.cfs_period_us=100000\n"
              "cpu.cfs_quota_us=-1\npids.max=max\nblkio.bfq.weight=100\nblkio.weight=500\n"
              "blkio.throttle.write_bps_device=7:0 0\n");
    EXPECT_EQ(lifted(cgroup::v2_backend()),
              "memory.max=max\nmemory.swap.max=max\ncpu.max=max 100000\npids.max=max\n"
              "io.bfq.weight=100\nio.weight=100\nio.max=7:0 wbps=max\n");
}

TEST(ChangeOfLimits, WhatStandsInAFileCanBePutBack) {
    const test::ScratchDirectory scratch;
    const auto write = [&](const char* file, const char* text) {
        std::ofstream(scratch.path() + "/" + file) << text;
    };
    write("pids.max", "max\n");
    write("io.weight", "default 100\n7:0 50\n");
    write("io.max", "7:10 rbps=1 wbps=max riops=max wiops=max\n7:1 rbps=max wbps=2 riops=max wiops=max\n");
    write("blkio.throttle.write_bps_device", "7:1 4096\n");
    std::filesystem::create_directory(scratch.path() + "/cpu.max");
    const auto group = cgroup::Directory::open(scratch.path(), "test");
    ASSERT_TRUE(group);
    const auto now = [&](const char* file) { return cgroup::text_now(*group, {.file = file, .text = "7"}); };
    EXPECT_EQ(now("pids.max").value(), "max");
    EXPECT_EQ(now("io.weight").value(), "100");
    EXPECT_EQ(now("memory.max").value(), std::nullopt);
    const auto unreadable = now("cpu.max");
    ASSERT_FALSE(unreadable);
    EXPECT_EQ(unreadable.error().err, EISDIR);
    const auto before = [&](const cgroup::Backend& backend, unsigned minor) {
        const auto settings = backend.settings({7, minor}, {.path = "x", .write_bytes = 9}).value();
        return cgroup::text_now(*group, settings.front()).value().value();
    };
    EXPECT_EQ(before(cgroup::v1_backend(), 1), "7:1 4096");
    EXPECT_EQ(before(cgroup::v1_backend(), 10), "7:10 0");
    EXPECT_EQ(before(cgroup::v2_backend(), 1), "7:1 rbps=max wbps=2 riops=max wiops=max");
    EXPECT_EQ(before(cgroup::v2_backend(), 2), "7:2 rbps=max wbps=max riops=max wiops=max");
}

class GateMessages : public testing::Test {
  protected:
    void SetUp() override {
        std::array<int, 2> ends{};
        ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
        asking_.reset(ends[0]);
        answering_.reset(ends[1]);
    }
    Fd asking_;
    Fd answering_;
    const GateSettings settings_{true,
                                 {{{7, 0},
                                   "loop0",
                                   {.path = "/a",
                                    .write_bytes = UINT64_MAX - 1,
                                    .write_operations = 3,
                                    .write_bytes_pace = {cgroup::Strategy::token, 8},
                                    .write_operations_pace = {cgroup::Strategy::leaky, 0}}},
                                  {{259, 1}, "nvme0n1", {.path = "/b", .write_bytes = 1}}}};
};

TEST_F(GateMessages, ArriveAsTheyWereSent) {
    const GateSettings& settings = settings_;
    ASSERT_TRUE(ask_gate(asking_, {settings}));
    const auto question = take_gate_question(answering_);
    ASSERT_TRUE(question && *question);
    EXPECT_EQ((*question)->change, settings);
    ASSERT_TRUE(answer_gate(answering_, GateAnswer{settings, {{{7, 0}, "loop0", 1, 2, 3, {}}}}));
    const auto answer = receive_gate_answer(asking_);
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer->settings, settings);
    ASSERT_EQ(answer->counters.size(), 1U);
    EXPECT_EQ(answer->counters[0].throttled, 3U);
}

TEST_F(GateMessages, AskWithoutChangingAndMayFail) {
    ASSERT_TRUE(ask_gate(asking_, {}));
    const auto question = take_gate_question(answering_);
    ASSERT_TRUE(question && *question);
    EXPECT_FALSE((*question)->change);
    ASSERT_TRUE(answer_gate(answering_, GateAnswer{}));
    EXPECT_FALSE(receive_gate_answer(asking_)->settings);
    ASSERT_TRUE(answer_gate(answering_, fail_input("do it", "it is late")));
    const auto refused = receive_gate_answer(asking_);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find("it is late"), std::string::npos);
}

TEST_F(GateMessages, CarryPathsThatAreNotUtf8) {
    GateSettings settings = settings_;
    settings.disks[0].limit.path = "/\xff\xc3(\xe4";
    settings.disks[1].limit.path = "/\xc3\xa4";
    settings.disks[1].name = "\xfe";
    ASSERT_TRUE(ask_gate(asking_, {settings}));
    const auto question = take_gate_question(answering_);
    ASSERT_TRUE(question && *question);
    EXPECT_EQ((*question)->change, settings);
    ASSERT_TRUE(answer_gate(answering_, GateAnswer{settings, {{{7, 0}, "\xfe", 1, 2, 3, {}}}}));
    const auto answer = receive_gate_answer(asking_);
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer->settings, settings);
    EXPECT_EQ(answer->counters.at(0).name, "\xfe");
}

// The kernel tells the other end that an answer was thrown away before it hands out what is left.
TEST_F(GateMessages, OfWhoIsGoneAreStillTaken) {
    GateSettings second = settings_;
    second.disks.pop_back();
    ASSERT_TRUE(ask_gate(asking_, {settings_}));
    ASSERT_TRUE(ask_gate(asking_, {second}));
    ASSERT_TRUE(take_gate_question(answering_));
    ASSERT_TRUE(answer_gate(answering_, GateAnswer{}));
    asking_.reset();
    const auto question = take_gate_question(answering_);
    ASSERT_TRUE(question && *question);
    EXPECT_EQ((*question)->change, second);
    EXPECT_FALSE(take_gate_question(answering_));
}

TEST_F(GateMessages, OfOthersAreRefused) {
    const auto sent = [&](const std::string& text) {
        EXPECT_EQ(send(asking_.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
        return take_gate_question(answering_);
    };
    EXPECT_FALSE(sent("{}")) << "an order";
    std::array<char, 8> order{};
    EXPECT_EQ(recv(answering_.get(), order.data(), order.size(), MSG_DONTWAIT), 2) << "it stays";
    for (
        const char* text :
        {"gate{", "gate[]", "gate{}", R"(gate{"allWrites":1,"disks":[]})",
         R"(gate{"allWrites":true,"disks":[{"device":"x","name":"","limit":{"path":""}}]})",
         R"(gate{"allWrites":true,"disks":[{"device":"7:0","name":"loop0"}]})",
         R"(gate{"allWrites":true,"disks":[{"device":"7:0","name":"l","limit":{"writeBytesStrategy":"x"}}]})"}) {
        const auto question = sent(text);
        ASSERT_TRUE(question) << text;
        EXPECT_FALSE(*question) << text;
    }
}

}  // namespace
}  // namespace ctr
