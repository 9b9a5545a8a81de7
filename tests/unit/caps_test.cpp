#include "runtime/caps.h"

#include <gtest/gtest.h>

#include <bit>

namespace ctr::caps {
namespace {

constexpr uint64_t everything = (uint64_t{1} << 41) - 1;

uint64_t chosen(const std::vector<std::string>& add, const std::vector<std::string>& drop,
                uint64_t available = everything) {
    const auto set = choose(add, drop, available);
    EXPECT_TRUE(set) << set.error().message();
    return set.value_or(0);
}

void expect_refused(const std::vector<std::string>& add, const std::vector<std::string>& drop,
                    const char* words, uint64_t available = everything) {
    const auto set = choose(add, drop, available);
    ASSERT_FALSE(set) << words;
    EXPECT_NE(set.error().message().find(words), std::string::npos) << set.error().message();
}

TEST(Capabilities, NamesAreReadInAnyCaseWithAndWithoutPrefix) {
    for (const char* name : {"NET_ADMIN", "net_admin", "CAP_NET_ADMIN", "cap_Net_Admin"})
        EXPECT_EQ(parse(name), CAP_NET_ADMIN) << name;
}

TEST(Capabilities, WhatIsNoNameIsQuotedAndRefused) {
    for (const char* name :
         {"", "FOO", "12", "CAP_12", "NET_ADMIN ", "NET ADMIN", "CAP_", "cap_cap_kill", "+KILL"}) {
        const auto result = parse(name);
        ASSERT_FALSE(result) << name;
        EXPECT_NE(result.error().message().find("\"" + std::string(name) + "\""), std::string::npos);
    }
}

TEST(Capabilities, TheDefaultIsDockersFourteen) {
    EXPECT_EQ(chosen({}, {}), defaults);
    EXPECT_EQ(std::popcount(defaults), 14);
    EXPECT_EQ(defaults & bit(CAP_SYS_ADMIN), 0U);
    EXPECT_EQ(defaults, 0xa80425fbU);
}

TEST(Capabilities, DefaultsThatTheCallerLacksAreLeftOut) {
    EXPECT_EQ(chosen({}, {}, everything & ~bit(CAP_MKNOD)), defaults & ~bit(CAP_MKNOD));
}

TEST(Capabilities, SingleOnesAreAddedAndDropped) {
    EXPECT_EQ(chosen({"SYS_TIME"}, {"KILL"}), (defaults | bit(CAP_SYS_TIME)) & ~bit(CAP_KILL));
}

TEST(Capabilities, AllMeansAllThatThereIs) {
    const uint64_t available = everything & ~bit(CAP_SYS_RESOURCE);
    EXPECT_EQ(chosen({"ALL"}, {}, available), available);
    EXPECT_EQ(chosen({"all"}, {"SYS_ADMIN"}, available), available & ~bit(CAP_SYS_ADMIN));
    EXPECT_EQ(chosen({}, {"ALL"}), 0U);
    EXPECT_EQ(chosen({"KILL"}, {"ALL"}), bit(CAP_KILL));
}

TEST(Capabilities, ContradictionsAreRefused) {
    expect_refused({"KILL"}, {"CAP_KILL"}, "CAP_KILL is both added and dropped");
    expect_refused({"ALL"}, {"ALL"}, "ALL is both added and dropped");
}

TEST(Capabilities, OneThatIsAskedForByNameAndMissingIsRefused) {
    expect_refused({"SYS_RESOURCE"}, {}, "CAP_SYS_RESOURCE can't be added",
                   everything & ~bit(CAP_SYS_RESOURCE));
}

TEST(Capabilities, SetsArePrintedByName) {
    EXPECT_EQ(format(0), "none");
    EXPECT_EQ(format(bit(CAP_CHOWN) | bit(CAP_BPF)), "CAP_CHOWN,CAP_BPF");
}

TEST(Capabilities, TheCallsArgumentsHoldBothHalvesAndNothingInheritable) {
    const auto action = set_exactly(bit(CAP_KILL) | bit(CAP_BPF), true);
    EXPECT_EQ(action.data[0].effective, 1U << CAP_KILL);
    EXPECT_EQ(action.data[0].permitted, 1U << CAP_KILL);
    EXPECT_EQ(action.data[1].effective, 1U << (CAP_BPF - 32));
    EXPECT_EQ(action.data[1].permitted, 1U << (CAP_BPF - 32));
    EXPECT_EQ(action.data[0].inheritable, 0U);
    EXPECT_EQ(action.data[1].inheritable, 0U);
    EXPECT_TRUE(action.after_filter);
}

}  // namespace
}  // namespace ctr::caps
