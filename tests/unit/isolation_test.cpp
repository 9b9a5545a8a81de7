#include "runtime/isolation.h"

#include <gtest/gtest.h>
#include <sched.h>

namespace ctr {
namespace {

HostFacts user_facts() {
    HostFacts facts;
    facts.uid = facts.gid = 1000;
    return facts;
}

bool dispensable(const Spec& spec) {
    return isolation::is_dispensable(spec, user_facts());
}

TEST(Isolation, DefaultsCanDoWithout) {
    EXPECT_TRUE(dispensable({}));
    EXPECT_TRUE(dispensable({.terminal = true}));
    EXPECT_TRUE(dispensable({.pidns = PidMode::multi, .ipc = Scope::host}));
}

TEST(Isolation, WhatIsAskedForByNameCannot) {
    EXPECT_FALSE(dispensable({.hostname = "box"}));
    EXPECT_FALSE(dispensable({.rootfs = "/srv"}));
    EXPECT_FALSE(dispensable({.read_only = true}));
    EXPECT_FALSE(dispensable({.mounts = {Tmpfs{.target = "/tmp"}}}));
    EXPECT_FALSE(dispensable({.user = User{0, 0}}));
    EXPECT_FALSE(dispensable({.pidns = PidMode::kernel}));
    EXPECT_FALSE(dispensable({.network = Network::none}));
    EXPECT_FALSE(dispensable({.userns = UserNamespace::yes}));
    EXPECT_FALSE(dispensable({.clocks = Clocks{}}));
    EXPECT_FALSE(dispensable({.share_with = ShareWith{}}));
}

// Its numbers come from a namespace of the outer layer, which takes the privilege to make one.
TEST(Isolation, AContainerInAContainerCannot) {
    HostFacts facts = user_facts();
    facts.numbered = true;
    EXPECT_FALSE(isolation::is_dispensable({}, facts));
}

TEST(Isolation, RootOfTheHostNeedNotTry) {
    HostFacts facts;
    facts.effective = ~uint64_t{0};
    facts.initial_user_namespace = true;
    isolation::look({}, facts);
    EXPECT_EQ(facts.no_namespaces, "");
}

TEST(Isolation, TheRemarkNamesWhatWouldHaveBeenMade) {
    HostFacts facts = user_facts();
    facts.no_namespaces = "mount: EPERM";
    facts.landlock_abi = 0;
    const std::string text = isolation::remark({.uts = Scope::host, .cgroupns = Scope::host}, facts);
    EXPECT_NE(text.find("(mount: EPERM)"), std::string::npos) << text;
    EXPECT_NE(text.find(": mount ipc;"), std::string::npos) << text;
    EXPECT_NE(text.find("Linux 6.12"), std::string::npos) << text;
}

}  // namespace
}  // namespace ctr
