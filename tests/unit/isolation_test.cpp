#include "runtime/isolation.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "runtime/plan.h"

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

TEST(Isolation, RootOfTheHostHasThem) {
    HostFacts facts;
    facts.effective = ~uint64_t{0};
    facts.initial_user_namespace = true;
    EXPECT_FALSE(isolation::is_dispensable({}, facts));
    facts.initial_user_namespace = false;
    EXPECT_TRUE(isolation::is_dispensable({}, facts)) << "mounts may be refused";
}

TEST(Isolation, OnlyWhatTakesNamespacesIsARefusal) {
    Plan plan;
    plan.steps.push_back({"map", action::WriteOwn{"uid_map", "0 0 1"}});
    plan.steps.push_back({"make private", action::PrivateMounts{}});
    plan.steps.push_back({"find", action::FindCommand{}});
    const auto is_refusal = [&](const char* step, const char* call, int error) {
        Error failure;
        failure.step = step;
        failure.call = call;
        failure.err = error;
        return isolation::is_refusal(failure, plan);
    };
    EXPECT_TRUE(is_refusal("create", "clone3", EPERM));
    EXPECT_TRUE(is_refusal("create", "clone3", ENOSPC));
    EXPECT_TRUE(is_refusal("map", "write", EPERM));
    EXPECT_TRUE(is_refusal("make private", "mount", EACCES));
    EXPECT_FALSE(is_refusal("create", "clone3", EAGAIN)) << "that may pass";
    EXPECT_FALSE(is_refusal("find", "stat", EPERM));
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
