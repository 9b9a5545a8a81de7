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

template <class Change>
bool dispensable_with(Change change) {
    Spec spec;
    change(spec);
    return isolation::is_dispensable(spec, user_facts());
}

TEST(Isolation, DefaultsCanDoWithout) {
    EXPECT_TRUE(dispensable_with([](Spec&) {}));
    EXPECT_TRUE(dispensable_with([](Spec& spec) { spec.terminal = true; }));
    EXPECT_TRUE(dispensable_with([](Spec& spec) { spec.ipc = spec.uts = spec.cgroupns = Scope::host; }));
    for (const PidMode mode : {PidMode::flat, PidMode::multi, PidMode::host})
        EXPECT_TRUE(dispensable_with([mode](Spec& spec) { spec.pidns = mode; }));
}

TEST(Isolation, WhatIsAskedForByNameCannot) {
    EXPECT_FALSE(dispensable_with([](Spec& spec) { spec.hostname = "box"; }));
    EXPECT_FALSE(dispensable_with([](Spec& spec) { spec.rootfs = "/srv"; }));
    EXPECT_FALSE(dispensable_with([](Spec& spec) { spec.read_only = true; }));
    EXPECT_FALSE(dispensable_with([](Spec& spec) { spec.mounts.emplace_back(Devices{}); }));
    EXPECT_FALSE(dispensable_with([](Spec& spec) { spec.user = User{0, 0}; }));
    EXPECT_FALSE(dispensable_with([](Spec& spec) { spec.pidns = PidMode::kernel; }));
    EXPECT_FALSE(dispensable_with([](Spec& spec) { spec.network = Network::none; }));
    EXPECT_FALSE(dispensable_with([](Spec& spec) { spec.userns = UserNamespace::yes; }));
    EXPECT_FALSE(dispensable_with([](Spec& spec) { spec.no_new_privs = false; }));
    EXPECT_FALSE(dispensable_with([](Spec& spec) { spec.clocks = Clocks{}; }));
    EXPECT_FALSE(dispensable_with([](Spec& spec) { spec.share_with = ShareWith{}; }));
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
    Spec spec;
    spec.uts = spec.cgroupns = Scope::host;
    const std::string text = isolation::remark(spec, facts);
    EXPECT_NE(text.find("(mount: EPERM)"), std::string::npos) << text;
    EXPECT_NE(text.find(": mount ipc;"), std::string::npos) << text;
    EXPECT_NE(text.find("Linux 6.12"), std::string::npos) << text;
}

}  // namespace
}  // namespace ctr
