// Long random histories, replayed against maps (model_reference.h). The seed is printed, and the environment
// variable MODEL_SEED repeats it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "tests/unit/model_fixture.h"
#include "tests/unit/model_reference.h"

namespace ctr::pidns {
namespace {

// Small, so that numbers, entries, namespaces and host numbers all run out and come again.
// In the first, numbers are reserved after a wrap; in the second there are too few for that.
constexpr Limits wide{.numbers = 340, .host_numbers = 400, .entries = 450, .namespaces = 24};
constexpr Limits narrow{.numbers = 200, .host_numbers = 400, .entries = 300, .namespaces = 40};
constexpr int steps = 100'000;

template <class M>
class History {
  public:
    History(const Limits& limits, uint32_t seed)
        : random_(seed), limits_(limits), world_(limits), reference_(limits, is_flat<M>) {}

    void run() {
        for (int host = 1; host <= 20; ++host) birth(host);  // owners; they register nothing
        for (int step = 0; step < steps && !::testing::Test::HasFailure(); ++step) {
            act();
            if (step % 200 == 0) compare();
            if (step % 1000 == 0) {
                EXPECT_EQ(audit(world_.model()), "") << "step " << step;
            }
        }
        collect();
        compare();
        EXPECT_EQ(audit(world_.model()), "");
        if (::testing::Test::HasFailure()) return;
        // It was worth it: everything that can happen has happened. How deep it went is a matter of the seed:
        // one in eight histories stops at five, none of thousands at three.
        EXPECT_GT(refused_, 100);
        EXPECT_GT(adopted_, 100);
        EXPECT_GT(replaced_, 100);
        EXPECT_GT(deepest_, 3u);
    }

  private:
    int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

    template <class Map>
    auto any(const Map& map) {
        return std::next(map.begin(), pick(0, static_cast<int>(map.size()) - 1))->first;
    }

    EntryId any_with(Reference::Life life) {
        std::map<EntryId, int> candidates;
        for (const auto& [id, entry] : reference_.entries)
            if (entry.life == life) candidates[id] = 0;
        return candidates.empty() ? EntryId::none : any(candidates);
    }

    // Phases in which more is born than dies and the reverse, so that everything fills and empties.
    void act() {
        if (pick(0, 3000) == 0) growing_ = !growing_;
        const int dice = pick(0, 99);
        if (dice < 30) return allocate();
        if (dice < 35) return cancel();
        if (dice < 60) return publish();
        if (dice < 70) return join();
        if (dice < (growing_ ? 78 : 92)) return die();
        if (dice < 93) return create();
        if (dice < 94) return replace_owner();
        if (dice < 95) return collect();
        allocate();
    }

    void allocate() {
        const uint32_t space = any(reference_.spaces);
        allocate_for(space, pick(1, 20));
    }

    EntryId allocate_for(uint32_t space, int owner) {
        const auto expected = reference_.next_numbers(space, owner);
        const EntryId id = world_->allocate(NamespaceId(space), HostPid(owner));
        EXPECT_EQ(id != EntryId::none, expected.has_value());
        if (!expected) ++refused_;
        if (id == EntryId::none || !expected) return EntryId::none;
        EXPECT_FALSE(reference_.entries.contains(id));
        reference_.allocate(id, space, owner, *expected);
        compare_numbers(id);
        return id;
    }

    void cancel() {
        const EntryId id = any_with(Reference::Life::claimed);
        if (id == EntryId::none) return;
        world_->cancel(id);
        reference_.cancel(id);
    }

    void publish() {
        EntryId claim = any_with(Reference::Life::claimed);
        if (claim == EntryId::none) return;
        int host = pick(21, 399);
        // A second registration by the process itself; else a new process, whose number may have been used
        // before.
        if (const EntryId live = any_with(Reference::Life::live); live != EntryId::none && pick(0, 9) == 0) {
            host = reference_.entries.at(live).host;
            claim = allocate_for(reference_.entries.at(live).space, host);
            if (claim == EntryId::none) return;
            ++adopted_;
        } else if (reference_.bearer(host) != EntryId::none) {
            // Replacing takes a claim that is younger than the number's old entry.
            claim = allocate_for(any(reference_.spaces), pick(1, 20));
            if (claim == EntryId::none) return;
            ++replaced_;
        }
        const EntryId leader = any_with(Reference::Life::live);
        const EntryId group = leader == EntryId::none || pick(0, 1) ? claim : leader;
        const EntryId session = leader == EntryId::none || pick(0, 1) ? claim : leader;
        birth(host);
        EXPECT_EQ(world_->publish(claim, HostPid(host), group, session),
                  reference_.publish(claim, host, group, session));
    }

    void join() {
        const EntryId id = any_with(Reference::Life::live);
        const EntryId leader = any_with(Reference::Life::live);
        if (id == EntryId::none) return;
        if (pick(0, 1)) {
            EXPECT_TRUE(world_->set_group(id, leader));
            reference_.entries.at(id).group = leader;
        } else {
            EXPECT_TRUE(world_->set_session(id, leader));
            reference_.entries.at(id).session = leader;
        }
    }

    void die() {
        const EntryId id = any_with(Reference::Life::live);
        if (id == EntryId::none) return;
        death(reference_.entries.at(id).host);
        if (pick(0, 3) == 0) return;  // reaped unseen
        world_->release(id);
        reference_.release(id);
    }

    void create() {
        const uint32_t parent = any(reference_.spaces);
        const int holder = pick(1, 20);
        const bool possible = reference_.can_create(parent);
        const NamespaceId id = world_->create_namespace(NamespaceId(parent), HostPid(holder));
        EXPECT_EQ(id != NamespaceId::none, possible);
        if (id == NamespaceId::none) return;
        EXPECT_FALSE(reference_.spaces.contains(raw(id)));
        reference_.create(raw(id), parent, holder);
        deepest_ = std::max(deepest_, world_->level_of(id));
    }

    // Its claims and the namespaces that it held are nobody's then.
    void replace_owner() {
        const int owner = pick(1, 20);
        death(owner);
        collect();
        birth(owner);
    }

    void collect() {
        // Two passes free entries, four more their namespace, then comes its parent: until there is no more
        // to come.
        for (unsigned before = 0, after = size(); after != before; after = size()) {
            before = after;
            world_.collect(6);
        }
        reference_.collect();
    }

    unsigned size() { return entries_in_use(world_.model()) + namespaces_in_use(world_.model()); }

    void birth(int host) {
        world_.birth(host);
        reference_.alive.insert(host);
    }
    void death(int host) {
        world_.death(host);
        reference_.alive.erase(host);
    }

    void compare_numbers(EntryId id) {
        const auto& numbers = reference_.entries.at(id).numbers;
        for (const auto& [space, unused] : reference_.spaces) {
            const auto found = numbers.find(space);
            EXPECT_EQ(world_.number(id, NamespaceId(space)), found == numbers.end() ? 0 : found->second)
                << "entry " << raw(id) << " in namespace " << space;
        }
    }

    void compare() {
        ASSERT_EQ(entries_in_use(world_.model()), reference_.entries.size());
        ASSERT_EQ(namespaces_in_use(world_.model()), reference_.spaces.size());
        for (const auto& [id, e] : reference_.entries) {
            compare_numbers(id);
            EXPECT_EQ(raw(world_->host_of(id)), e.life == Reference::Life::claimed ? 0 : e.host);
            EXPECT_EQ(world_->is_process(id), e.life == Reference::Life::live);
            EXPECT_EQ(raw(world_->namespace_of(id)), e.space);
            if (e.life == Reference::Life::live) {
                EXPECT_EQ(world_->group_of(id), e.group);
                EXPECT_EQ(world_->session_of(id), e.session);
            }
            if (e.life != Reference::Life::claimed && !reference_.hidden.contains(id)) {
                EXPECT_EQ(world_->entry_of(HostPid(e.host)), id);
            }
        }
        for (const auto& [id, space] : reference_.spaces) {
            EXPECT_EQ(raw(world_->parent_of(NamespaceId(id))), space.parent);
            EXPECT_EQ(world_->level_of(NamespaceId(id)), space.level);
            const int number = pick(1, static_cast<int>(limits_.numbers) - 1);
            const auto taken = space.taken.find(number);
            const bool visible = taken != space.taken.end() &&
                                 reference_.entries.at(taken->second).life != Reference::Life::claimed;
            EXPECT_EQ(world_->find(NamespaceId(id), VirtPid(number)),
                      visible ? taken->second : EntryId::none);
        }
    }

    std::mt19937 random_;
    Limits limits_;
    World<M> world_;
    Reference reference_;
    bool growing_ = true;
    int refused_ = 0;
    int adopted_ = 0;
    int replaced_ = 0;
    unsigned deepest_ = 0;
};

template <class M>
class ModelHistory : public ::testing::Test {};
TYPED_TEST_SUITE(ModelHistory, AllModels, ModelName);

TYPED_TEST(ModelHistory, AgreesWithMapsAfterAnyHistory) {
    const char* wanted = std::getenv("MODEL_SEED");
    const auto seed =
        wanted ? static_cast<uint32_t>(std::strtoul(wanted, nullptr, 10)) : std::random_device()();
    this->RecordProperty("seed", std::to_string(seed));
    SCOPED_TRACE("MODEL_SEED=" + std::to_string(seed));
    std::printf("MODEL_SEED=%u\n", seed);
    History<TypeParam>(wide, seed).run();
    History<TypeParam>(narrow, seed).run();
}

}  // namespace
}  // namespace ctr::pidns
