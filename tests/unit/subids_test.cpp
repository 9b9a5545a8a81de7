#include "runtime/subids.h"

#include <gtest/gtest.h>

#include "runtime/idmap.h"
#include "runtime/plan.h"

namespace ctr {
namespace {

TEST(SubIds, AreTheFirstRangeOfAUserByNameOrNumber) {
    const std::string text = "other:1:2\nme:100000:65536\nme:300000:5\n1000:400000:7\n";
    const auto by_name = subids::parse(text, "me", 1000);
    ASSERT_TRUE(by_name);
    EXPECT_EQ(by_name->first, 100000U);
    EXPECT_EQ(by_name->count, 65536U);
    EXPECT_EQ(subids::parse(text, "", 1000)->first, 400000U);
    EXPECT_FALSE(subids::parse(text, "nobody", 65534));
    for (const char* bad : {"me", "me:", "me:1", "me:1:", "me:1x:2", "me:1:0", "me:-1:2", ":1:2", ""})
        EXPECT_FALSE(subids::parse(bad, "me", 1)) << bad;
    EXPECT_FALSE(subids::parse(":1:2", "", 1));
}

using Rows = std::vector<std::vector<uint32_t>>;

Rows rows(const std::vector<IdMapping>& map) {
    Rows result;
    for (const IdMapping& one : map) result.push_back({one.inside, one.outside, one.count});
    return result;
}

TEST(SubIds, LieAroundTheCallersOwn) {
    const IdRange range{100000, 65536};
    EXPECT_EQ(rows(subids::map(1000, 0, range)), (Rows{{0, 1000, 1}, {1, 100000, 65536}}));
    EXPECT_EQ(rows(subids::map(1000, 1000, range)),
              (Rows{{0, 100000, 1000}, {1000, 1000, 1}, {1001, 101000, 64536}}));
    EXPECT_EQ(rows(subids::map(70000, 70000, range)), (Rows{{0, 100000, 65536}, {70000, 70000, 1}}));
}

HostFacts user_facts() {
    HostFacts facts;
    facts.uid = facts.gid = 1000;
    facts.last_capability = 40;
    facts.initial_user_namespace = true;
    facts.uids = facts.gids = {{0, UINT32_MAX}};
    facts.subuids = facts.subgids = IdRange{100000, 65536};
    return facts;
}

Spec spec_with(UserNamespace userns) {
    Spec spec;
    spec.command = {"true"};
    spec.userns = userns;
    return spec;
}

TEST(SubIds, MakeTheCallerRootOrLeaveItWhoItIs) {
    const auto root = idmap::choose(spec_with(UserNamespace::subids), user_facts());
    ASSERT_TRUE(root);
    EXPECT_EQ(root->uid, 0U);
    EXPECT_TRUE(root->new_user_namespace);
    EXPECT_FALSE(root->change);
    const auto kept = idmap::choose(spec_with(UserNamespace::keep_id), user_facts());
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->uid, 1000U);
    EXPECT_FALSE(kept->change);
    Spec spec = spec_with(UserNamespace::subids);
    spec.user = User{33, 33};
    const auto other = idmap::choose(spec, user_facts());
    ASSERT_TRUE(other);
    EXPECT_TRUE(other->change);
    EXPECT_TRUE(other->clear_groups);
    spec.user = User{65537, 0};
    const auto beyond = idmap::choose(spec, user_facts());
    ASSERT_FALSE(beyond);
    EXPECT_NE(beyond.error().message().find("user 65537"), std::string::npos);
}

TEST(SubIds, AreMappedByTheParentAndSaidInThePlan) {
    const auto plan = make_plan(spec_with(UserNamespace::subids), user_facts());
    ASSERT_TRUE(plan);
    const std::string text = describe(*plan);
    EXPECT_NE(text.find("users: 0 is 1000, 1-65536 are 100000-165535\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("uid_map"), std::string::npos);
}

TEST(SubIds, WithoutARangeThereIsAnErrorThatSaysHowToGetOne) {
    HostFacts facts = user_facts();
    facts.subgids.reset();
    const auto identity = idmap::choose(spec_with(UserNamespace::keep_id), facts);
    ASSERT_FALSE(identity);
    EXPECT_NE(identity.error().message().find("/etc/subgid has no range for user 1000"), std::string::npos);
    EXPECT_NE(identity.error().message().find("usermod"), std::string::npos);
}

}  // namespace
}  // namespace ctr
