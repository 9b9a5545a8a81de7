// The lives of numbers, entries and namespaces, one rule a test.
#include "tests/unit/model_fixture.h"

namespace ctr::pidns {
namespace {

constexpr Limits small{.numbers = 1000, .host_numbers = 5000, .entries = 1000, .namespaces = 50};
constexpr NamespaceId root = NamespaceId::root;

template <class M>
class ModelLifetime : public ::testing::Test {
  protected:
    World<M> world{small};

    void TearDown() override { EXPECT_EQ(audit(world.model()), ""); }
};
TYPED_TEST_SUITE(ModelLifetime, AllModels, ModelName);

TYPED_TEST(ModelLifetime, ProcessIsFoundFromBothSidesBetweenPublishAndCollection) {
    auto& w = this->world;
    w.birth(1);
    const EntryId claim = w->allocate(root, HostPid(1));
    EXPECT_EQ(w.number(claim), 1);
    EXPECT_EQ(w->find(root, VirtPid(1)), EntryId::none);
    EXPECT_EQ(w->host_of(claim), HostPid::none);

    w.birth(700);
    ASSERT_EQ(w->publish(claim, HostPid(700), claim, claim), claim);
    EXPECT_EQ(w->entry_of(HostPid(700)), claim);
    EXPECT_EQ(w->find(root, VirtPid(1)), claim);
    EXPECT_EQ(w->host_of(root, VirtPid(1)), HostPid(700));
    EXPECT_EQ(w->number_of(HostPid(700), root), VirtPid(1));
    EXPECT_EQ(w->namespace_of(claim), root);
    EXPECT_EQ(w->group_of(claim), claim);

    w.reap(claim);
    EXPECT_FALSE(w->is_process(claim));
    EXPECT_EQ(w->find(root, VirtPid(1)), claim);
    EXPECT_EQ(w.collect().freed, 1u);
    EXPECT_EQ(w->find(root, VirtPid(1)), EntryId::none);
    EXPECT_EQ(w->entry_of(HostPid(700)), EntryId::none);
    EXPECT_EQ(w->host_of(root, VirtPid(1)), HostPid::none);
    EXPECT_EQ(w->number_of(HostPid(700), root), VirtPid::none);
    EXPECT_EQ(entries_in_use(w.model()), 0u);
}

TYPED_TEST(ModelLifetime, NumbersAreDenseAndCancelLeavesNoGap) {
    auto& w = this->world;
    w.spawn(root, 10);
    EXPECT_EQ(w.number(w.spawn(root, 11)), 2);
    const EntryId tried = w->allocate(root, HostPid(1));
    EXPECT_EQ(w.number(tried), 3);
    w->cancel(tried);
    EXPECT_EQ(w.number(w.spawn(root, 12)), 3);
}

TYPED_TEST(ModelLifetime, CancelledNumberIsNotTheNextOneIfSomebodyHasAllocatedSince) {
    auto& w = this->world;
    w.spawn(root, 10);
    const EntryId tried = w->allocate(root, HostPid(1));
    w.spawn(root, 11);
    w->cancel(tried);
    EXPECT_EQ(w.number(w.spawn(root, 12)), 4);
}

TYPED_TEST(ModelLifetime, CancelOfPublishedEntryDoesNothing) {
    auto& w = this->world;
    const EntryId id = w.spawn(root, 10);
    w->cancel(id);
    EXPECT_TRUE(w->is_process(id));
}

TYPED_TEST(ModelLifetime, FreedNumbersComeAgainAfterTheLimitAndFrom300) {
    auto& w = this->world;
    const EntryId init = w.spawn(root, 10);
    for (int expected = 2; expected < 1000; ++expected) {
        const EntryId id = w.spawn(root, 11);
        ASSERT_EQ(w.number(id), expected);
        w.reap(id);
        w.collect();
    }
    EXPECT_EQ(w.number(w.spawn(root, 11)), 300);
    EXPECT_EQ(w.number(init), 1);
}

TYPED_TEST(ModelLifetime, WrapPassesOverNumbersInUse) {
    auto& w = this->world;
    std::vector<EntryId> ids;
    for (int i = 1; i < 1000; ++i) ids.push_back(w.spawn(root, 10 + i));
    EXPECT_EQ(w.spawn(root, 2000), EntryId::none);
    for (const int number : {5, 301, 999}) w.reap(ids[static_cast<std::size_t>(number) - 1]);
    EXPECT_EQ(w.collect().freed, 3u);
    EXPECT_EQ(w.number(w.spawn(root, 2001)), 301);
    EXPECT_EQ(w.number(w.spawn(root, 2002)), 999);
    // 5 is free, but reserved to early starters, as in the kernel.
    EXPECT_EQ(w.spawn(root, 2003), EntryId::none);
}

TYPED_TEST(ModelLifetime, NumbersBelow300AreUsedIfThereAreNoOthers) {
    World<TypeParam> w({.numbers = 8, .host_numbers = 100, .entries = 50, .namespaces = 5});
    std::vector<EntryId> ids;
    for (int i = 1; i < 8; ++i) ids.push_back(w.spawn(root, 10 + i));
    EXPECT_EQ(w.spawn(root, 30), EntryId::none);
    w.reap(ids[3]);
    w.collect();
    EXPECT_EQ(w.number(w.spawn(root, 31)), 4);
    EXPECT_EQ(audit(w.model()), "");
}

TYPED_TEST(ModelLifetime, EntriesRunOut) {
    World<TypeParam> w({.numbers = 100, .host_numbers = 100, .entries = 5, .namespaces = 5});
    for (int i = 1; i < 5; ++i) EXPECT_NE(w.spawn(root, 10 + i), EntryId::none);
    EXPECT_EQ(w.spawn(root, 20), EntryId::none);
    w.reap(w->entry_of(HostPid(12)));
    w.collect();
    EXPECT_EQ(w.number(w.spawn(root, 20)), 5);
    EXPECT_EQ(audit(w.model()), "");
}

TYPED_TEST(ModelLifetime, GroupAndSessionOutliveTheirLeader) {
    auto& w = this->world;
    w.spawn(root, 10);
    const EntryId leader = w.spawn(root, 11);
    const EntryId member = w.spawn(root, 12);
    const EntryId other = w.spawn(root, 13);
    EXPECT_TRUE(w->set_group(member, leader));
    EXPECT_TRUE(w->set_session(other, leader));
    w.reap(leader);

    EXPECT_EQ(w.collect(5).freed, 0u);
    EXPECT_EQ(w->group_of(member), leader);
    EXPECT_EQ(w->host_of(root, VirtPid(2)), HostPid(11));
    EXPECT_TRUE(w->set_group(member, member));
    EXPECT_EQ(w.collect(5).freed, 0u);
    EXPECT_EQ(w->session_of(other), leader);
    w.reap(other);
    EXPECT_EQ(w.collect(5).freed, 2u);
    EXPECT_EQ(w->find(root, VirtPid(2)), EntryId::none);
}

TYPED_TEST(ModelLifetime, DeadLeaderWhoseGroupHasJustBeenJoinedIsNotFreed) {
    auto& w = this->world;
    const EntryId leader = w.spawn(root, 11);
    const EntryId member = w.spawn(root, 12);
    w.reap(leader);
    EXPECT_EQ(w.collect(1).freed, 0u);
    EXPECT_TRUE(w->set_group(member, leader));
    EXPECT_EQ(w.collect(5).freed, 0u);
    EXPECT_EQ(w->group_of(member), leader);
}

TYPED_TEST(ModelLifetime, GroupJoinedInTheMiddleOfACollectionIsNotFreedByIt) {
    auto& w = this->world;
    const EntryId member = w.spawn(root, 11);
    const EntryId leader = w.spawn(root, 12);
    w.spawn(root, 13);
    w.reap(leader);
    w.collect(1);
    // The next pass would free it, and has looked at the member already when it comes to the last process.
    bool joined = false;
    Collector collector(w.model(), [&](HostPid host) {
        if (host == HostPid(13)) joined = w->set_group(member, leader);
        return w.exists(raw(host));
    });
    EXPECT_EQ(collector.collect().freed, 0u);
    EXPECT_TRUE(joined);
    EXPECT_EQ(w->group_of(member), leader);
    w.collect(5);
    EXPECT_EQ(w->group_of(member), leader);
}

TYPED_TEST(ModelLifetime, FreedGroupCannotBeJoined) {
    auto& w = this->world;
    const EntryId leader = w.spawn(root, 11);
    const EntryId member = w.spawn(root, 12);
    w.reap(leader);
    w.collect();
    EXPECT_FALSE(w->set_group(member, leader));
    EXPECT_EQ(w->group_of(member), EntryId::none);
}

TYPED_TEST(ModelLifetime, ProcessThatNobodyWaitedForIsCollected) {
    auto& w = this->world;
    const EntryId id = w.spawn(root, 11);
    w.death(11);
    EXPECT_EQ(w.collect(1).ended, 1u);
    EXPECT_FALSE(w->is_process(id));
    EXPECT_EQ(w.collect().freed, 1u);
}

TYPED_TEST(ModelLifetime, ClaimsOfDeadOwnersAreCollectedAndOthersKept) {
    auto& w = this->world;
    w.birth(20);
    w.birth(21);
    w->allocate(root, HostPid(20));
    const EntryId kept = w->allocate(root, HostPid(21));
    w.death(20);
    EXPECT_EQ(w.collect(1).freed, 1u);
    EXPECT_EQ(entries_in_use(w.model()), 1u);
    EXPECT_EQ(w.number(kept), 2);
}

TYPED_TEST(ModelLifetime, ChildThatRegistersBeforeItsParentWins) {
    auto& w = this->world;
    w.birth(1);
    w.spawn(root, 10);
    const EntryId parents = w->allocate(root, HostPid(10));
    w.birth(30);
    const EntryId own = w->allocate(root, HostPid(30));
    ASSERT_EQ(w->publish(own, HostPid(30), own, own), own);
    EXPECT_EQ(w->publish(parents, HostPid(30), own, own), own);
    EXPECT_EQ(w->entry_of(HostPid(30)), own);
    EXPECT_EQ(entries_in_use(w.model()), 2u);
}

TYPED_TEST(ModelLifetime, ParentThatRegistersBeforeItsChildWins) {
    auto& w = this->world;
    w.birth(1);
    w.spawn(root, 10);
    const EntryId parents = w->allocate(root, HostPid(10));
    w.birth(30);
    const EntryId own = w->allocate(root, HostPid(30));
    ASSERT_EQ(w->publish(parents, HostPid(30), parents, parents), parents);
    EXPECT_EQ(w->publish(own, HostPid(30), own, own), parents);
    EXPECT_EQ(w->publish(parents, HostPid(30), parents, parents), parents);
    EXPECT_EQ(entries_in_use(w.model()), 2u);
    EXPECT_EQ(w.number(w.spawn(root, 31)), 3);
}

// Its creator can't tell it from a child that nobody has adopted: whoever waited for it has been told the
// number.
TYPED_TEST(ModelLifetime, ChildThatWasAdoptedAndHasEndedKeepsTheNumberOfItsAdoption) {
    auto& w = this->world;
    w.spawn(root, 10);
    const EntryId promised = w->allocate(root, HostPid(10));
    w.birth(11);
    const EntryId adopted = w->allocate(root, HostPid(11));
    ASSERT_EQ(w->publish(adopted, HostPid(11), adopted, adopted), adopted);
    w.reap(adopted);
    EXPECT_EQ(w->publish(promised, HostPid(11), promised, promised), adopted);
    EXPECT_EQ(w->claimant_of(promised), HostPid::none);
}

TYPED_TEST(ModelLifetime, AChildsClaimIsKnownIfItsCreatorHasNoOther) {
    auto& w = this->world;
    const EntryId init = w.spawn(root, 10);
    EXPECT_EQ(w->claim_for(HostPid(11), HostPid(10)), EntryId::none);
    const EntryId first = w->allocate(root, HostPid(10));
    EXPECT_EQ(w->claim_for(HostPid(11), HostPid(10)), first);
    const EntryId second = w->allocate(root, HostPid(10));
    EXPECT_EQ(w->claim_for(HostPid(11), HostPid(10)), EntryId::none);
    w.birth(11);
    ASSERT_EQ(w->publish(first, HostPid(11), init, init), first);
    EXPECT_EQ(w->claim_for(HostPid(11), HostPid(10)), EntryId::none) << "the other claim is another child's";
    EXPECT_EQ(w->claim_for(HostPid(12), HostPid(10)), second);
}

// The child that it may have been made for is looked for first.
TYPED_TEST(ModelLifetime, ALostClaimCanBeKept) {
    auto& w = this->world;
    w.spawn(root, 10);
    const EntryId lost = w->allocate(root, HostPid(10));
    const auto nobody = [](HostPid) { return false; };
    Collector(w.model(), nobody, LostClaims::kept).collect();
    EXPECT_EQ(w->claimant_of(lost), HostPid(10));
    Collector(w.model(), nobody).collect();
    EXPECT_EQ(w->claimant_of(lost), HostPid::none);
}

TYPED_TEST(ModelLifetime, HostNumberThatComesAgainReplacesItsOldEntry) {
    auto& w = this->world;
    w.spawn(root, 10);
    const EntryId old = w.spawn(root, 30);
    const EntryId renewed = w.spawn(root, 30);
    EXPECT_NE(renewed, old);
    EXPECT_FALSE(w->is_process(old));
    EXPECT_EQ(w->entry_of(HostPid(30)), renewed);
    EXPECT_EQ(w.number(renewed), 3);
    EXPECT_EQ(w.collect().freed, 1u);
    EXPECT_EQ(w->entry_of(HostPid(30)), renewed);
    EXPECT_EQ(w->host_of(root, VirtPid(3)), HostPid(30));
}

TYPED_TEST(ModelLifetime, InitHasNumberOneAndOthersFollow) {
    auto& w = this->world;
    const EntryId starter = w.spawn(root, 10);
    const NamespaceId inner = w->create_namespace(root, HostPid(10));
    ASSERT_NE(inner, NamespaceId::none);
    EXPECT_EQ(w->parent_of(inner), root);
    EXPECT_EQ(w->level_of(inner), 2u);
    const EntryId init = w.spawn(inner, 11);
    const EntryId second = w.spawn(inner, 12);
    EXPECT_EQ(w.number(init, inner), 1);
    EXPECT_EQ(w.number(second, inner), 2);
    EXPECT_EQ(w.number(starter, inner), 0);
    EXPECT_EQ(w.number(init, root), 2);
    EXPECT_EQ(w.number(second, root), is_flat<TypeParam> ? 0 : 3);
    EXPECT_EQ(w->find(root, VirtPid(2)), init);
    EXPECT_EQ(w->find(inner, VirtPid(2)), second);
    EXPECT_EQ(w->number_of(HostPid(11), root), VirtPid(2));
}

TYPED_TEST(ModelLifetime, SiblingsDoNotSeeEachOther) {
    auto& w = this->world;
    w.spawn(root, 10);
    const NamespaceId a = w->create_namespace(root, HostPid(10));
    const NamespaceId b = w->create_namespace(root, HostPid(10));
    const EntryId in_a = w.spawn(a, 11);
    const EntryId in_b = w.spawn(b, 12);
    EXPECT_EQ(w.number(in_a, b), 0);
    EXPECT_EQ(w.number(in_b, a), 0);
    EXPECT_EQ(w->number_of(HostPid(11), b), VirtPid::none);
    EXPECT_EQ(w->find(a, VirtPid(1)), in_a);
    EXPECT_EQ(w->find(b, VirtPid(1)), in_b);
    EXPECT_EQ(w->find(b, VirtPid(2)), EntryId::none);
}

TYPED_TEST(ModelLifetime, ThirtyTwoLevelsAndNotOneMore) {
    auto& w = this->world;
    w.spawn(root, 100);
    NamespaceId space = root;
    EntryId innermost = EntryId::none;
    for (unsigned level = 2; level <= 32; ++level) {
        const NamespaceId next = w->create_namespace(space, HostPid(100));
        ASSERT_NE(next, NamespaceId::none) << level;
        ASSERT_EQ(w->level_of(next), level);
        innermost = w.spawn(next, 100 + static_cast<int>(level));
        space = next;
    }
    EXPECT_EQ(w->create_namespace(space, HostPid(100)), NamespaceId::none);
    EXPECT_EQ(w.number(innermost, space), 1);
    EXPECT_EQ(w.number(innermost, w->parent_of(space)), 2);
    EXPECT_EQ(w.number(innermost, root), is_flat<TypeParam> ? 0 : 32);
}

TYPED_TEST(ModelLifetime, NamespacesRunOut) {
    World<TypeParam> w({.numbers = 100, .host_numbers = 100, .entries = 50, .namespaces = 4});
    w.spawn(root, 10);
    EXPECT_NE(w->create_namespace(root, HostPid(10)), NamespaceId::none);
    EXPECT_NE(w->create_namespace(root, HostPid(10)), NamespaceId::none);
    EXPECT_EQ(w->create_namespace(root, HostPid(10)), NamespaceId::none);
}

TYPED_TEST(ModelLifetime, NamespaceEndsWithItsLastEntryAndThenRefusesNewOnes) {
    auto& w = this->world;
    w.spawn(root, 10);
    const NamespaceId outer = w->create_namespace(root, HostPid(10));
    const EntryId outer_init = w.spawn(outer, 11);
    const NamespaceId inner = w->create_namespace(outer, HostPid(11));
    const EntryId inner_init = w.spawn(inner, 12);
    w.collect(10);
    EXPECT_EQ(namespaces_in_use(w.model()), 3u);

    // The child keeps its parent, though that has no entry of its own any more.
    w.reap(outer_init);
    w.collect(10);
    EXPECT_EQ(namespaces_in_use(w.model()), 3u);

    w.reap(inner_init);
    w.collect(4);
    EXPECT_EQ(w.spawn(inner, 13), EntryId::none);
    w.collect(20);
    EXPECT_EQ(namespaces_in_use(w.model()), 1u);
    EXPECT_EQ(w->level_of(inner), 0u);
}

TYPED_TEST(ModelLifetime, NamespaceWithoutInitWaitsForItsHolder) {
    auto& w = this->world;
    w.spawn(root, 10);
    w.spawn(root, 11);
    const NamespaceId held = w->create_namespace(root, HostPid(11));
    w.collect(10);
    EXPECT_EQ(w->level_of(held), 2u);
    w.reap(w->entry_of(HostPid(11)));
    w.collect(10);
    EXPECT_EQ(w->level_of(held), 0u);
}

TYPED_TEST(ModelLifetime, InitThatFailsOutsideGivesItsNumberBack) {
    World<TypeParam> w({.numbers = 4, .host_numbers = 100, .entries = 50, .namespaces = 4});
    w.spawn(root, 10);
    const NamespaceId inner = w->create_namespace(root, HostPid(10));
    w.spawn(root, 11);
    const EntryId last = w.spawn(root, 12);
    EXPECT_EQ(w.spawn(inner, 13), EntryId::none);
    w.reap(last);
    w.collect();
    const EntryId init = w.spawn(inner, 13);
    EXPECT_EQ(w.number(init, inner), 1);
    EXPECT_EQ(w.number(init), 3);
    EXPECT_EQ(audit(w.model()), "");
}

TYPED_TEST(ModelLifetime, ArgumentsOutOfRangeAreNobody) {
    auto& w = this->world;
    for (const uint32_t wild : {0U, 1000U, 0xFFFFFFFFU}) {
        const auto id = EntryId(wild);
        EXPECT_EQ(w->host_of(id), HostPid::none);
        EXPECT_EQ(w->number_in(id, root), VirtPid::none);
        EXPECT_EQ(w->publish(id, HostPid(1), id, id), EntryId::none);
        EXPECT_FALSE(w->set_group(id, id));
        EXPECT_EQ(w->group_of(id), EntryId::none);
        w->release(id);
        w->cancel(id);
        EXPECT_EQ(w->allocate(NamespaceId(wild), HostPid(1)), EntryId::none);
        EXPECT_EQ(w->create_namespace(NamespaceId(wild), HostPid(1)), NamespaceId::none);
        EXPECT_EQ(w->find(NamespaceId(wild), VirtPid(1)), EntryId::none);
    }
    for (const int wild : {-1, 0, 5000, 0x7FFFFFFF}) {
        EXPECT_EQ(w->entry_of(HostPid(wild)), EntryId::none);
        EXPECT_EQ(w->find(root, VirtPid(wild)), EntryId::none);
        EXPECT_EQ(w->host_of(root, VirtPid(wild)), HostPid::none);
        EXPECT_EQ(w->number_of(HostPid(wild), root), VirtPid::none);
        EXPECT_EQ(w->allocate(root, HostPid(wild)), EntryId::none);
    }
}

TEST(ModelLimits, AreWhatFitsIntoTheWords) {
    EXPECT_TRUE(valid(Limits{1U << 22, 1U << 22, 1U << 24, 1U << 16}));
    EXPECT_FALSE(valid(Limits{(1U << 22) + 1, 1U << 22, 1U << 24, 1U << 16}));
    EXPECT_FALSE(valid(Limits{1U << 22, 1U << 22, (1U << 24) + 1, 1U << 16}));
    EXPECT_FALSE(valid(Limits{1U << 22, 1U << 22, 1U << 24, 1}));
}

}  // namespace
}  // namespace ctr::pidns
