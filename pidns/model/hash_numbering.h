// Multilevel numbering with constant lookups: the number of an entry in a namespace is an array access by the
// namespace's level (pid_nr_ns() of the kernel), the entry of a number a hash lookup (find_pid_ns() until 4.15).
#pragma once

#include "pidns/model/hash.h"
#include "pidns/model/levels.h"

namespace ctr::pidns {

struct alignas(8) HashNumbers {
    // Upid without entry, by depth. Relaxed: noted before the slot that refers to the entry, which orders it.
    std::atomic<uint64_t> upids[max_level];
};

class HashNumbering : public Levels<HashNumbering, HashNumbers> {
    using Base = Levels<HashNumbering, HashNumbers>;

  public:
    static constexpr std::size_t bytes(const Limits& limits) { return table_bytes(limits) + Hash::bytes(shape(limits)); }

    HashNumbering(void* memory, const Limits& limits) : HashNumbering(static_cast<std::byte*>(memory), limits, 0) {}

    EntryId find(NamespaceId space, VirtPid number) const {
        if (!namespaces().valid(space) || !valid(number)) return EntryId::none;
        return hash_.find(space, number, [&](EntryId id) { return valid(id) && load(id).published(); });
    }

    VirtPid number_in(EntryId id, NamespaceId space) const {
        if (!valid(id) || !namespaces().valid(space)) return VirtPid::none;
        const Upid upid(entry(id).numbers.upids[namespaces().depth_of(space)].load(std::memory_order_relaxed));
        return upid.space() == space && valid(upid.number()) ? upid.number() : VirtPid::none;
    }

  private:
    friend Base;
    friend Table<HashNumbering, HashNumbers>;
    template <class>
    friend class Audit;

    static constexpr Hash::Shape shape(const Limits& limits) {
        const uint32_t buckets = Hash::buckets_for(limits.entries);
        return {.buckets = buckets, .per_bucket = 4, .spread = 1, .reach = buckets < 1024 ? buckets : 1024};
    }

    HashNumbering(std::byte* at, const Limits& limits, int) : Base(at, limits), hash_(at, shape(limits)) {}

    bool has(NamespaceId space, VirtPid number) const {
        return hash_.find(space, number, [](EntryId) { return true; }) != EntryId::none;
    }
    void note(EntryId id, Upid upid, uint32_t depth) {
        entry(id).numbers.upids[depth].store(Upid(upid.space(), upid.number(), EntryId::none).bits(),
                                             std::memory_order_relaxed);
    }
    bool insert(Upid upid) { return hash_.insert(upid); }
    void remove(Upid upid) { hash_.remove(upid); }
    bool alone(Upid upid) const { return hash_.alone(upid); }

    template <class Visitor>
    void each_number(EntryId id, Visitor visit) const {
        for (unsigned depth = max_level; depth-- > 0;) {
            const Upid upid(entry(id).numbers.upids[depth].load(std::memory_order_relaxed));
            if (!upid.empty()) visit(Upid(upid.space(), upid.number(), id));
        }
    }
    void forget(EntryId id) {
        for (auto& upid : entry(id).numbers.upids)
            if (upid.load(std::memory_order_relaxed) != 0) upid.store(0, std::memory_order_relaxed);
    }

    template <class Visitor>
    void each_slot(Visitor visit) const {
        hash_.each(visit);
    }

    Hash hash_;
};

static_assert(Numbering<HashNumbering>);

}  // namespace ctr::pidns
