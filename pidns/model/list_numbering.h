// Multilevel numbering as the kernel patches of 2007 had it, for comparison: an entry's numbers are a linked list, one
// element for each level, which is walked to find the one of a namespace; the hash knows numbers only, so that a
// lookup walks the list of every entry that bears the number anywhere.
//
// Not made worse than it was: the elements of an entry lie together in memory, the list begins with the innermost
// namespace, and the hash is the same as the other model's, with its numbers spread over all of the table.
#pragma once

#include "pidns/model/hash.h"
#include "pidns/model/levels.h"

namespace ctr::pidns {

struct alignas(8) ListNumbers {
    struct Element {
        std::atomic<uint64_t> upid;  // without entry. Relaxed: noted before the slot that refers to the entry.
        std::atomic<uint32_t> next;  // index of the next outer element plus 1, 0: the last. Relaxed, likewise.
    };
    std::atomic<uint32_t> first;  // as next; the list is complete when it is reached from here
    Element elements[max_level];
};

class ListNumbering : public Levels<ListNumbering, ListNumbers> {
    using Base = Levels<ListNumbering, ListNumbers>;

  public:
    static constexpr std::size_t bytes(const Limits& limits) { return table_bytes(limits) + Hash::bytes(shape(limits)); }

    ListNumbering(void* memory, const Limits& limits) : ListNumbering(static_cast<std::byte*>(memory), limits, 0) {}

    EntryId find(NamespaceId space, VirtPid number) const {
        if (!namespaces().valid(space) || !valid(number)) return EntryId::none;
        return hash_.find(NamespaceId::none, number, [&](EntryId id) {
            return valid(id) && number_in(id, space) == number && load(id).published();
        });
    }

    VirtPid number_in(EntryId id, NamespaceId space) const {
        VirtPid number = VirtPid::none;
        if (!valid(id) || space == NamespaceId::none) return number;
        walk(id, [&](Upid upid) {
            if (upid.space() != space) return false;
            if (valid(upid.number())) number = upid.number();
            return true;
        });
        return number;
    }

  private:
    friend Base;
    friend Table<ListNumbering, ListNumbers>;
    template <class>
    friend class Audit;

    static constexpr Hash::Shape shape(const Limits& limits) {
        const uint32_t buckets = Hash::buckets_for(limits.entries);
        const uint32_t spread = buckets / limits.numbers;
        return {.buckets = buckets, .per_bucket = 1, .spread = spread > 0 ? spread : 1, .reach = buckets};
    }

    ListNumbering(std::byte* at, const Limits& limits, int) : Base(at, limits), hash_(at, shape(limits)) {}

    // Visits the elements, innermost first, until done(upid) says true.
    template <class Done>
    void walk(EntryId id, Done done) const {
        const ListNumbers& list = entry(id).numbers;
        uint32_t at = list.first.load(std::memory_order_relaxed);
        for (unsigned steps = 0; at != 0 && at <= max_level && steps < max_level; ++steps) {
            const ListNumbers::Element& element = list.elements[at - 1];
            if (done(Upid(element.upid.load(std::memory_order_relaxed)))) return;
            at = element.next.load(std::memory_order_relaxed);
        }
    }

    bool has(NamespaceId space, VirtPid number) const {
        return hash_.find(NamespaceId::none, number, [&](EntryId id) {
                   return valid(id) && number_in(id, space) == number;
               }) != EntryId::none;
    }

    // Called from the innermost level outward: elements[0] is the innermost.
    void note(EntryId id, Upid upid, uint32_t) {
        ListNumbers& list = entry(id).numbers;
        const Upid kept(upid.space(), upid.number(), EntryId::none);
        uint32_t at = 0;
        while (at < max_level) {
            const Upid there(list.elements[at].upid.load(std::memory_order_relaxed));
            if (there.empty() || there.space() == upid.space()) break;
            ++at;
        }
        if (at == max_level) return;
        list.elements[at].next.store(0, std::memory_order_relaxed);
        list.elements[at].upid.store(kept.bits(), std::memory_order_relaxed);
        (at == 0 ? list.first : list.elements[at - 1].next).store(at + 1, std::memory_order_relaxed);
    }

    static Upid key(Upid upid) { return Upid(NamespaceId::none, upid.number(), upid.entry()); }

    bool insert(Upid upid) { return hash_.insert(key(upid)); }

    // An entry whose number is the same on several levels is in the hash as often.
    void remove(Upid upid) { hash_.remove_one(key(upid)); }

    bool alone(Upid upid) const {
        return hash_.find(NamespaceId::none, upid.number(), [&](EntryId id) {
                   return valid(id) && id != upid.entry() && number_in(id, upid.space()) == upid.number();
               }) == EntryId::none;
    }

    template <class Visitor>
    void each_number(EntryId id, Visitor visit) const {
        walk(id, [&](Upid upid) {
            if (!upid.empty()) visit(Upid(upid.space(), upid.number(), id));
            return false;
        });
    }

    void forget(EntryId id) {
        ListNumbers& list = entry(id).numbers;
        list.first.store(0, std::memory_order_relaxed);
        for (auto& element : list.elements) {
            if (element.upid.load(std::memory_order_relaxed) == 0) continue;
            element.upid.store(0, std::memory_order_relaxed);
            element.next.store(0, std::memory_order_relaxed);
        }
    }

    template <class Visitor>
    void each_slot(Visitor visit) const {
        hash_.each(visit);
    }

    Hash hash_;
};

static_assert(Numbering<ListNumbering>);

}  // namespace ctr::pidns
