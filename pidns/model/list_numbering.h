// Multilevel numbering as the kernel patches of 2007 had it, for comparison: an entry's numbers are a linked
// list, one element for each level, which is walked to find the one of a namespace; the hash knows numbers
// only, so that a lookup walks the list of every entry that bears the number anywhere.
//
// Not made worse than it was: four elements of an entry share a cache line, as many such lines are touched as
// there are levels to be kept, the list begins with the innermost namespace, and the hash is the same as the
// other model's, with its numbers spread over all of the table. Allocation is dearer than it was: it has to
// find out by the same walks that a number is free, for which the kernel had a bitmap.
#pragma once

#include "pidns/model/hash.h"
#include "pidns/model/levels.h"

namespace ctr::pidns {

struct ListNumbers {
    // The innermost element's place plus 1; 0: none. Relaxed: noted before the slot in the hash that refers
    // to the entry, which orders it.
    std::atomic<uint32_t> first;
};

class ListNumbering : public Levels<ListNumbering, ListNumbers> {
    using Base = Levels<ListNumbering, ListNumbers>;

  public:
    static constexpr std::size_t bytes(const Limits& limits) {
        return table_bytes(limits) + room_for<Line>(line_count(limits)) + Hash::bytes(shape(limits));
    }

    ListNumbering(void* memory, const Limits& limits)
        : ListNumbering(static_cast<std::byte*>(memory), limits, 0) {}

    EntryId find(NamespaceId space, VirtPid number) const {
        if (!namespaces().valid(space) || !valid(number)) return EntryId::none;
        // Numbers of a published entry stay what they are; before, it may have tried others.
        return hash_.find(NamespaceId::none, number, [&](EntryId id) {
            const Word word = valid(id) ? load(id) : Word();
            return word.published() && number_in(id, space) == number && load(id).birth() == word.birth();
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

    // For audits: visit(Upid) for each number that an entry says it has, and for each that the hash has
    // (without namespace).
    template <class Visitor>
    void each_number(EntryId id, Visitor visit) const {
        walk(id, [&](Upid upid) {
            if (!upid.empty()) visit(Upid(upid.space(), upid.number(), id));
            return false;
        });
    }

    template <class Visitor>
    void each_slot(Visitor visit) const {
        hash_.each(visit);
    }

  private:
    friend Base;
    friend Table<ListNumbering, ListNumbers>;

    static constexpr Hash::Shape shape(const Limits& limits) {
        const uint32_t buckets = Hash::buckets_for(limits.entries);
        const uint32_t spread = buckets / limits.numbers;
        return {.buckets = buckets, .per_bucket = 1, .spread = spread > 0 ? spread : 1, .reach = buckets};
    }

    // Sequentially consistent, as the hash: of two who take the same number at once one must see the other,
    // also where the hash has the number already, from another level of the entry.
    struct Element {
        std::atomic<uint64_t> upid;  // without entry
        std::atomic<uint32_t> next;  // next outer element's place plus 1; 0: the last
    };
    struct alignas(cache_line) Line {
        static constexpr unsigned length = 4;
        Element elements[length];
    };
    static_assert(sizeof(Line) == cache_line);

    static constexpr std::size_t line_count(const Limits& limits) {
        return std::size_t{limits.entries} * (max_level / Line::length);
    }

    ListNumbering(std::byte* at, const Limits& limits, int)
        : Base(at, limits), lines_(take_array<Line>(at, line_count(limits))), hash_(at, shape(limits)) {}

    // place: below max_level, 0 for the innermost.
    Element& element(EntryId id, uint32_t place) const {
        const std::size_t line = std::size_t{place / Line::length} * limits().entries + raw(id);
        return lines_[line].elements[place % Line::length];
    }

    // Visits the elements, innermost first, until done(upid) says true.
    template <class Done>
    void walk(EntryId id, Done done) const {
        uint32_t at = entry(id).numbers.first.load(std::memory_order_relaxed);
        for (unsigned steps = 0; at != 0 && at <= max_level && steps < max_level; ++steps) {
            const Element& e = element(id, at - 1);
            if (done(Upid(e.upid.load(std::memory_order_seq_cst)))) return;
            at = e.next.load(std::memory_order_seq_cst);
        }
    }

    bool has(NamespaceId space, VirtPid number) const {
        return hash_.find(NamespaceId::none, number, [&](EntryId id) {
            return valid(id) && number_in(id, space) == number;
        }) != EntryId::none;
    }

    // Called from the innermost level outward; the element is complete before it is linked.
    void note(EntryId id, Upid upid, uint32_t depth) {
        const uint32_t place = namespaces().depth_of(namespace_of(id)) - depth;
        if (place >= max_level) return;
        Element& e = element(id, place);
        e.next.store(0, std::memory_order_relaxed);
        e.upid.store(Upid(upid.space(), upid.number(), EntryId::none).bits(), std::memory_order_seq_cst);
        std::atomic<uint32_t>& link = place == 0 ? entry(id).numbers.first : element(id, place - 1).next;
        link.store(place + 1, std::memory_order_seq_cst);
    }

    static Upid key(Upid upid) { return Upid(NamespaceId::none, upid.number(), upid.entry()); }

    // Once, however many levels have the same number.
    bool insert(Upid upid) {
        const auto this_entry = [&](EntryId id) { return id == upid.entry(); };
        return hash_.find(NamespaceId::none, upid.number(), this_entry) != EntryId::none ||
               hash_.insert(key(upid));
    }

    void remove(Upid upid) { hash_.remove(key(upid)); }

    // Of one level; others may have the same number.
    void withdraw(Upid upid) {
        unsigned levels = 0;
        walk(upid.entry(), [&](Upid other) {
            levels += other.number() == upid.number() ? 1U : 0U;
            return false;
        });
        if (levels <= 1) remove(upid);
    }

    bool alone(Upid upid) const {
        return hash_.find(NamespaceId::none, upid.number(), [&](EntryId id) {
            return valid(id) && id != upid.entry() && number_in(id, upid.space()) == upid.number();
        }) == EntryId::none;
    }

    void forget(EntryId id) { entry(id).numbers.first.store(0, std::memory_order_relaxed); }

    Line* lines_;  // by place and entry
    Hash hash_;
};

static_assert(Numbering<ListNumbering>);

}  // namespace ctr::pidns
