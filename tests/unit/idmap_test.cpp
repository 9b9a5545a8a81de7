#include "runtime/idmap.h"

#include <gtest/gtest.h>
#include <linux/capability.h>

#include "runtime/caps.h"

namespace ctr::idmap {
namespace {

HostFacts root() {
    HostFacts facts;
    facts.effective = facts.bounding = ~uint64_t{0};
    facts.initial_user_namespace = true;
    facts.uids = facts.gids = {{0, UINT32_MAX}};
    return facts;
}

HostFacts unprivileged() {
    HostFacts facts = root();
    facts.uid = 1000;
    facts.gid = 100;
    facts.effective = 0;
    return facts;
}

// As under `unshare -Urm`.
HostFacts root_of_small_namespace() {
    HostFacts facts = root();
    facts.initial_user_namespace = false;
    facts.setgroups_allowed = false;
    facts.uids = facts.gids = {{0, 1}};
    return facts;
}

Spec with_user(std::optional<User> user, UserNamespace userns = UserNamespace::automatic) {
    Spec spec;
    spec.command = {"true"};
    spec.user = user;
    spec.userns = userns;
    return spec;
}

std::vector<std::string> maps(const Identity& identity, const HostFacts& facts) {
    std::vector<std::string> texts;
    for (const Step& step : map_steps(identity, facts)) {
        const auto& write = std::get<action::WriteOwn>(step.action);
        texts.push_back(write.file + " " + write.text);
    }
    return texts;
}

using Texts = std::vector<std::string>;

TEST(Identity, RootNeedsNoUserNamespace) {
    const auto identity = choose(with_user({}), root());
    ASSERT_TRUE(identity);
    EXPECT_FALSE(identity->new_user_namespace);
    EXPECT_FALSE(identity->change);
    EXPECT_TRUE(map_steps(*identity, root()).empty());
}

TEST(Identity, RootBecomesAnotherUserWithoutOtherGroups) {
    const auto identity = choose(with_user(User{1000, 100}), root());
    ASSERT_TRUE(identity);
    EXPECT_FALSE(identity->new_user_namespace);
    EXPECT_TRUE(identity->change);
    EXPECT_TRUE(identity->clear_groups);
    EXPECT_EQ(identity->uid, 1000U);
    EXPECT_EQ(identity->gid, 100U);
}

TEST(Identity, AnUnprivilegedCallerKeepsItsIdsInANamespaceOfItsOwn) {
    const auto identity = choose(with_user({}), unprivileged());
    ASSERT_TRUE(identity);
    EXPECT_TRUE(identity->new_user_namespace);
    EXPECT_FALSE(identity->change);
    EXPECT_EQ(maps(*identity, unprivileged()),
              (Texts{"setgroups deny", "gid_map 100 100 1\n", "uid_map 1000 1000 1\n"}));
}

TEST(Identity, AnUnprivilegedCallerCanBeRootInside) {
    const auto identity = choose(with_user(User{0, 0}), unprivileged());
    ASSERT_TRUE(identity);
    EXPECT_EQ(maps(*identity, unprivileged()),
              (Texts{"setgroups deny", "gid_map 0 100 1\n", "uid_map 0 1000 1\n"}));
}

TEST(Identity, SetgroupsIsDeniedBeforeTheGroupMapIsWritten) {
    const auto texts = maps({.new_user_namespace = true}, unprivileged());
    ASSERT_EQ(texts.size(), 3U);
    EXPECT_EQ(texts[0], "setgroups deny");
}

TEST(Identity, AUserNamespaceIsMadeWhereItWasAskedFor) {
    const auto identity = choose(with_user({}, UserNamespace::yes), root());
    ASSERT_TRUE(identity);
    EXPECT_TRUE(identity->new_user_namespace);
}

TEST(Identity, WithoutPrivilegeAndUserNamespaceThereIsNoWay) {
    const auto identity = choose(with_user({}, UserNamespace::no), unprivileged());
    ASSERT_FALSE(identity);
    EXPECT_NE(identity.error().message().find("CAP_SYS_ADMIN"), std::string::npos);
}

TEST(Identity, IdsThatTheOuterNamespaceLacksComeFromANewOne) {
    const auto identity = choose(with_user(User{5, 5}), root_of_small_namespace());
    ASSERT_TRUE(identity);
    EXPECT_TRUE(identity->new_user_namespace);
    EXPECT_EQ(maps(*identity, root_of_small_namespace()).back(), "uid_map 5 0 1\n");
}

TEST(Identity, IdsThatCannotBeHadAreNamedTogetherWithThoseThatCan) {
    const auto user = choose(with_user(User{5, 0}, UserNamespace::no), root_of_small_namespace());
    ASSERT_FALSE(user);
    EXPECT_NE(user.error().message().find("user 5 of 5:0 doesn't exist"), std::string::npos);
    EXPECT_NE(user.error().message().find("(it has 0)"), std::string::npos);
    const auto group = choose(with_user(User{0, 7}, UserNamespace::no), root_of_small_namespace());
    ASSERT_FALSE(group);
    EXPECT_NE(group.error().message().find("group 7 of 0:7 doesn't exist"), std::string::npos);
}

TEST(Identity, GroupsStayWhereTheNamespaceForbidsToChangeThem) {
    const auto identity = choose(with_user(User{0, 0}), root_of_small_namespace());
    ASSERT_TRUE(identity);
    EXPECT_TRUE(identity->change);
    EXPECT_FALSE(identity->clear_groups);
}

TEST(IdRanges, AreReadFromTheKernelsMaps) {
    const auto ranges = parse_id_map("         0       1000          1\n         1     100000      65536\n");
    ASSERT_EQ(ranges.size(), 2U);
    EXPECT_TRUE(contains(ranges, 0));
    EXPECT_TRUE(contains(ranges, 65536));
    EXPECT_FALSE(contains(ranges, 65537));
    EXPECT_FALSE(contains({}, 0));
    const auto all = parse_id_map("0 0 4294967295\n");
    EXPECT_TRUE(contains(all, 4294967294U));
    EXPECT_FALSE(contains(all, 4294967295U));
}

}  // namespace
}  // namespace ctr::idmap
