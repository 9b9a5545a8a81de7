// A workload scribbles over the table while it is in use: nobody outside crashes, hangs or gets an answer out
// of range.
#include <random>
#include <thread>

#include "tests/fuzz/hostile_model.h"
#include "tests/unit/model_fixture.h"

namespace ctr::pidns {
namespace {

template <class M>
class NumberingHostile : public ::testing::Test {};
TYPED_TEST_SUITE(NumberingHostile, AllModels, ModelName);

TYPED_TEST(NumberingHostile, OverwritesBetweenOperationsDoNoHarm) {
    const uint32_t seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::printf("seed %u\n", seed);
    std::mt19937 random(seed);
    for (int history = 0; history < 1000; ++history) {
        const GuardedMemory memory(TypeParam::bytes(hostile_limits));
        TypeParam model(memory.get(), hostile_limits);
        HostileHistory hostile(model, memory, [&] { return static_cast<uint32_t>(random()); });
        for (int step = 0; step < 2000; ++step) {
            hostile.operate();
            if (random() % 4 == 0) hostile.scribble();
        }
        hostile.collect();
    }
}

TYPED_TEST(NumberingHostile, OverwritesDuringOperationsDoNoHarm) {
    const GuardedMemory memory(TypeParam::bytes(hostile_limits));
    TypeParam model(memory.get(), hostile_limits);
    std::atomic<bool> done{false};
    const auto generator = [](uint32_t seed) {
        return [random = std::mt19937(seed)]() mutable { return static_cast<uint32_t>(random()); };
    };
    std::thread vandal([&] {
        HostileHistory hostile(model, memory, generator(1));
        while (!done.load()) hostile.scribble();
    });
    std::vector<std::thread> users;
    for (uint32_t seed = 2; seed < 5; ++seed)
        users.emplace_back([&, seed] {
            HostileHistory hostile(model, memory, generator(seed));
            for (int step = 0; step < 300'000; ++step) hostile.operate();
        });
    for (auto& user : users) user.join();
    done = true;
    vandal.join();
}

// Parents in a circle are the one thing over which a walk of the caller's own wouldn't end.
TYPED_TEST(NumberingHostile, NamespacesHaveNoEndlessLineOfParents) {
    const GuardedMemory memory(TypeParam::bytes(hostile_limits));
    const TypeParam model(memory.get(), hostile_limits);
    for (uint32_t value = 0; value < 40; ++value) {
        for (std::size_t i = 0; i < memory.words(); ++i) memory.word(i).store(uint64_t{value} << 32 | value);
        for (uint32_t id = 1; id < hostile_limits.namespaces; ++id) {
            unsigned steps = 0;
            for (auto space = NamespaceId(id); space != NamespaceId::none; space = model.parent_of(space))
                ASSERT_LE(++steps, max_level) << "from " << id << " by way of " << value;
        }
    }
}

// Each word of the table in turn becomes each of the worst values under a table that is in use.
TYPED_TEST(NumberingHostile, NoSingleWordMatters) {
    std::mt19937 random(7);
    const auto next = [&] { return static_cast<uint32_t>(random()); };
    const GuardedMemory memory(TypeParam::bytes(hostile_limits));
    TypeParam model(memory.get(), hostile_limits);
    HostileHistory hostile(model, memory, next);
    for (std::size_t i = 0; i < memory.words(); ++i)
        for (const uint64_t value :
             {~uint64_t{0}, uint64_t{0x8000'0000'8000'0000}, uint64_t{0x7FFF'FFFF'7FFF'FFFF}}) {
            const uint64_t before = memory.word(i).exchange(value);
            for (int step = 0; step < 16; ++step) hostile.operate();
            if (value % 2 == 1) hostile.collect();
            memory.word(i).store(before);
        }
}

}  // namespace
}  // namespace ctr::pidns
