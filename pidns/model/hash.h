// A hash table of upids without locks: finds the entries that bear a number.
//
// Buckets are one cache line: eight slots of one word. An upid goes into the first empty slot at or behind
// its home bucket; a bucket that had to be passed over when it was full keeps a mark for ever, and only
// marked buckets are passed by a search. So nearly every search touches one line, and removal is one store.
//
// Home buckets keep neighbours together: `per_bucket` consecutive numbers share a bucket, the next ones are
// in the next bucket, and namespaces begin at multiples of the golden ratio of the table's size, which leaves
// as much room between any number of them as there is. So a few processes touch a few pages of the mapping,
// and no more.
//
// Insertion doesn't make sure that a number is there once: two inserters may choose different slots, as one
// may see a slot emptied that the other saw full. Whoever needs that inserts, then asks `alone`: of two
// inserters the later one sees the earlier.
#pragma once

#include <atomic>
#include <bit>

#include "pidns/model/layout.h"
#include "pidns/model/namespaces.h"
#include "pidns/model/upid.h"

namespace ctr::pidns {

class Hash {
  public:
    // How many upids there can be, and how numbers are spread: spread buckets for each number, or 1 / spread
    // numbers for each bucket.
    struct Shape {
        uint32_t buckets;     // a power of two
        uint32_t per_bucket;  // consecutive numbers that share a home bucket
        uint32_t spread;      // buckets between one home and the next
        uint32_t reach;       // buckets that a search may look at
    };

    static constexpr std::size_t bytes(const Shape& shape) { return room_for<Bucket>(shape.buckets); }

    Hash(std::byte*& at, const Shape& shape)
        : shape_(shape), buckets_(take_array<Bucket>(at, shape.buckets)) {}

    // Half full if every entry has a number on every level.
    static constexpr uint32_t buckets_for(uint32_t entries) {
        return std::bit_ceil(entries) * (2 * max_level / slots);
    }

    // false: no room within reach.
    bool insert(Upid upid) {
        uint32_t at = home(upid);
        for (uint32_t step = 0; step < shape_.reach; ++step, at = next(at)) {
            Bucket& bucket = buckets_[at];
            for (unsigned i = 0; i < slots; ++i)
                if (fill(bucket.slot[i], upid)) return true;
            bucket.slot[slots - 1].fetch_or(Upid::mark, std::memory_order_acq_rel);
        }
        return false;
    }

    void remove(Upid upid) {
        search(upid, [&](std::atomic<uint64_t>& slot, Upid found) {
            if (found != upid) return false;
            // Whatever the last slot has as mark stays.
            uint64_t bits = upid.bits();
            if (!slot.compare_exchange_strong(bits, 0, std::memory_order_acq_rel)) {
                bits = upid.bits() | Upid::mark;
                slot.compare_exchange_strong(bits, Upid::mark, std::memory_order_acq_rel);
            }
            return false;
        });
    }

    // The entry of the first upid with this namespace and number which accept(entry) agrees to.
    template <class Accept>
    EntryId find(NamespaceId space, VirtPid number, Accept accept) const {
        EntryId result = EntryId::none;
        search(Upid(space, number, EntryId::none), [&](const std::atomic<uint64_t>&, Upid found) {
            if (!accept(found.entry())) return false;
            result = found.entry();
            return true;
        });
        return result;
    }

    // Nobody else has this number in this namespace.
    bool alone(Upid upid) const {
        return find(upid.space(), upid.number(), [&](EntryId entry) { return entry != upid.entry(); }) ==
               EntryId::none;
    }

    // For audits: visit(upid) for all that is in the table.
    template <class Visitor>
    void each(Visitor visit) const {
        for (uint32_t b = 0; b < shape_.buckets; ++b)
            for (const auto& slot : buckets_[b].slot)
                if (const Upid upid{slot.load(std::memory_order_acquire)}; !upid.empty()) visit(upid);
    }

  private:
    static constexpr unsigned slots = 8;

    struct alignas(cache_line) Bucket {
        // Bit 63 of the last slot: the bucket was full once, what belongs here may be in the next.
        // Filled with release and read with acquire: who sees a mark sees that the slots were full, and who
        // finds an upid sees the entry that its inserter had prepared. Sequentially consistent where two
        // inserters of one number must not miss each other: fill (a locked instruction anyway) and the loads
        // of a search (plain ones on x86-64).
        std::atomic<uint64_t> slot[slots];
    };
    static_assert(sizeof(Bucket) == cache_line);

    uint32_t next(uint32_t bucket) const { return (bucket + 1) & (shape_.buckets - 1); }

    uint32_t home(Upid upid) const {
        constexpr uint32_t golden = 0x9E3779B9U;  // 2^32 divided by the golden ratio
        const auto base = static_cast<uint32_t>(uint64_t{raw(upid.space()) * golden} * shape_.buckets >> 32);
        const auto line = static_cast<uint32_t>(raw(upid.number())) / shape_.per_bucket;
        return (base + line * shape_.spread) & (shape_.buckets - 1);
    }

    static bool fill(std::atomic<uint64_t>& slot, Upid upid) {
        uint64_t now = slot.load(std::memory_order_relaxed);
        while (Upid(now).empty())  // twice at most: the mark can come in between, once
            if (slot.compare_exchange_strong(now, upid.bits() | now, std::memory_order_seq_cst)) return true;
        return false;
    }

    // Calls done(slot, upid) for each slot with the same namespace and number until it says true.
    template <class Done>
    void search(Upid wanted, Done done) const {
        uint32_t at = home(wanted);
        for (uint32_t step = 0; step < shape_.reach; ++step, at = next(at)) {
            Bucket& bucket = buckets_[at];
            uint64_t bits = 0;
            for (unsigned i = 0; i < slots; ++i) {
                bits = bucket.slot[i].load(std::memory_order_seq_cst);
                if (const Upid found{bits}; found.same_number(wanted) && !found.empty())
                    if (done(bucket.slot[i], found)) return;
            }
            if ((bits & Upid::mark) == 0) return;
        }
    }

    Shape shape_;
    Bucket* buckets_;
};

}  // namespace ctr::pidns
