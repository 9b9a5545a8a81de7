#include "pidns/model/hash.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "tests/unit/model_fixture.h"

namespace ctr::pidns {
namespace {

constexpr auto any = [](EntryId) { return true; };

class ModelHash : public ::testing::Test {
  protected:
    explicit ModelHash(Hash::Shape shape = {.buckets = 16, .per_bucket = 4, .spread = 1, .reach = 16})
        : memory_(Hash::bytes(shape)), hash_(make(memory_, shape)) {}

    static Hash make(const SharedMemory& memory, const Hash::Shape& shape) {
        auto* at = static_cast<std::byte*>(memory.get());
        return Hash(at, shape);
    }

    static Upid upid(uint32_t space, int number, uint32_t entry) {
        return Upid(NamespaceId(space), VirtPid(number), EntryId(entry));
    }
    EntryId find(uint32_t space, int number) const {
        return hash_.find(NamespaceId(space), VirtPid(number), any);
    }
    unsigned size() const {
        unsigned count = 0;
        hash_.each([&](Upid) { ++count; });
        return count;
    }

    SharedMemory memory_;
    Hash hash_;
};

TEST_F(ModelHash, FindsWhatWasInsertedAndNotWhatWasRemoved) {
    ASSERT_TRUE(hash_.insert(upid(1, 7, 70)));
    EXPECT_EQ(find(1, 7), EntryId(70));
    EXPECT_EQ(find(2, 7), EntryId::none);
    EXPECT_EQ(find(1, 8), EntryId::none);
    hash_.remove(upid(1, 7, 71));
    EXPECT_EQ(find(1, 7), EntryId(70));
    hash_.remove(upid(1, 7, 70));
    EXPECT_EQ(find(1, 7), EntryId::none);
    EXPECT_EQ(size(), 0u);
}

TEST_F(ModelHash, OverflowGoesIntoTheNextBucketAndIsFoundAfterTheFirstHasEmptied) {
    // 20 upids with one home: three buckets.
    for (uint32_t entry = 1; entry <= 20; ++entry) ASSERT_TRUE(hash_.insert(upid(1, 4, entry)));
    for (uint32_t entry = 1; entry <= 19; ++entry) hash_.remove(upid(1, 4, entry));
    EXPECT_EQ(find(1, 4), EntryId(20));
    EXPECT_TRUE(hash_.alone(upid(1, 4, 20)));
    ASSERT_TRUE(hash_.insert(upid(1, 4, 21)));
    EXPECT_FALSE(hash_.alone(upid(1, 4, 20)));
    hash_.remove(upid(1, 4, 20));
    EXPECT_EQ(find(1, 4), EntryId(21));
    EXPECT_EQ(size(), 1u);
}

TEST_F(ModelHash, FillsUpToTheLastSlotThenRefuses) {
    for (uint32_t entry = 1; entry <= 128; ++entry)
        ASSERT_TRUE(hash_.insert(upid(entry % 3, 9, entry))) << entry;
    EXPECT_FALSE(hash_.insert(upid(1, 10, 200)));
    EXPECT_EQ(size(), 128u);
    for (uint32_t entry = 1; entry <= 128; ++entry) hash_.remove(upid(entry % 3, 9, entry));
    EXPECT_EQ(size(), 0u);
    EXPECT_EQ(find(1, 9), EntryId::none);
    EXPECT_TRUE(hash_.insert(upid(1, 10, 200)));
    EXPECT_EQ(find(1, 10), EntryId(200));
}

class LargeModelHash : public ModelHash {
  protected:
    LargeModelHash() : ModelHash({.buckets = 1U << 18, .per_bucket = 4, .spread = 1, .reach = 1024}) {}

    // mincore() tells of shared anonymous memory which pages exist, and doesn't make any.
    std::size_t pages_in_use() const {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        std::vector<unsigned char> state(memory_.size() / page);
        EXPECT_EQ(mincore(memory_.get(), state.size() * page, state.data()), 0);
        return static_cast<std::size_t>(
            std::count_if(state.begin(), state.end(), [](auto s) { return (s & 1) != 0; }));
    }
};

TEST_F(LargeModelHash, ConsecutiveNumbersTouchConsecutivePages) {
    for (int number = 1; number < 250; ++number) ASSERT_TRUE(hash_.insert(upid(1, number, 1)));
    EXPECT_LE(pages_in_use(), 2u);
    for (int number = 1; number < 2500; ++number)
        EXPECT_EQ(find(1, number), number < 250 ? EntryId(1) : EntryId::none);
}

TEST_F(LargeModelHash, NamespacesLeaveRoomForEachOther) {
    // A chain of 32 namespaces with 30 000 numbers each: nearly half of all slots, and no long way to
    // anything.
    for (uint32_t space = 1; space <= 32; ++space)
        for (int number = 1; number <= 30'000; ++number)
            ASSERT_TRUE(hash_.insert(upid(space, number, space)));
    for (uint32_t space = 1; space <= 32; ++space)
        for (int number = 1; number <= 30'000; number += 97) ASSERT_EQ(find(space, number), EntryId(space));
    // No insertion had to pass over a bucket: nothing but upids is in the table, so no bucket is marked.
    const auto* words = static_cast<const uint64_t*>(memory_.get());
    const auto marked = std::count_if(words, words + memory_.size() / sizeof(uint64_t),
                                      [](uint64_t word) { return (word & Upid::mark) != 0; });
    EXPECT_EQ(marked, 0);
}

}  // namespace
}  // namespace ctr::pidns
