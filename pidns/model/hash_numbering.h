// Multilevel numbering with constant lookups: the number of an entry in a namespace is an array access by the
// namespace's level (pid_nr_ns() of the kernel), the entry of a number a hash lookup (find_pid_ns()
// until 4.15).
//
// The numbers are kept level by level, not entry by entry as in struct pid: a container that isn't nested
// then has eight to a cache line, and touches nothing of the other 31 levels.
#pragma once

#include "pidns/model/hash.h"
#include "pidns/model/levels.h"

namespace ctr::pidns {

struct HashNumbers {};  // nothing in the entry itself

class HashNumbering : public Levels<HashNumbering, HashNumbers> {
    using Base = Levels<HashNumbering, HashNumbers>;

  public:
    static constexpr std::size_t bytes(const Limits& limits) {
        return table_bytes(limits) + room_for<std::atomic<uint64_t>>(upid_count(limits)) +
               Hash::bytes(shape(limits));
    }

    HashNumbering(void* memory, const Limits& limits)
        : HashNumbering(static_cast<std::byte*>(memory), limits, 0) {}

    EntryId find(NamespaceId space, VirtPid number) const {
        if (!namespaces().valid(space) || !valid(number)) return EntryId::none;
        return hash_.find(space, number, [&](EntryId id) { return valid(id) && load(id).published(); });
    }

    VirtPid number_in(EntryId id, NamespaceId space) const {
        if (!valid(id) || !namespaces().valid(space)) return VirtPid::none;
        const Upid upid(upid_at(id, namespaces().depth_of(space)).load(std::memory_order_relaxed));
        return upid.space() == space && valid(upid.number()) ? upid.number() : VirtPid::none;
    }

    // For audits: visit(Upid) for each number that an entry says it has, and for each that the hash has.
    template <class Visitor>
    void each_number(EntryId id, Visitor visit) const {
        const NamespaceId own = namespace_of(id);
        if (own == NamespaceId::none) return;
        for (unsigned depth = namespaces().depth_of(own) + 1; depth-- > 0;) {
            const Upid upid(upid_at(id, depth).load(std::memory_order_relaxed));
            if (!upid.empty()) visit(Upid(upid.space(), upid.number(), id));
        }
    }

    template <class Visitor>
    void each_slot(Visitor visit) const {
        hash_.each(visit);
    }

  private:
    friend Base;
    friend Table<HashNumbering, HashNumbers>;

    static constexpr Hash::Shape shape(const Limits& limits) {
        const uint32_t buckets = Hash::buckets_for(limits.entries);
        return {.buckets = buckets, .per_bucket = 4, .spread = 1, .reach = buckets < 1024 ? buckets : 1024};
    }

    static constexpr std::size_t upid_count(const Limits& limits) {
        return std::size_t{limits.entries} * max_level;
    }

    HashNumbering(std::byte* at, const Limits& limits, int)
        : Base(at, limits),
          upids_(take_array<std::atomic<uint64_t>>(at, upid_count(limits))),
          hash_(at, shape(limits)) {}

    std::atomic<uint64_t>& upid_at(EntryId id, uint32_t depth) const {
        return upids_[std::size_t{depth} * limits().entries + raw(id)];
    }

    bool has(NamespaceId space, VirtPid number) const {
        return hash_.find(space, number, [](EntryId) { return true; }) != EntryId::none;
    }
    void note(EntryId id, Upid upid, uint32_t depth) {
        const Upid kept(upid.space(), upid.number(), EntryId::none);
        upid_at(id, depth).store(kept.bits(), std::memory_order_relaxed);
    }
    bool insert(Upid upid) { return hash_.insert(upid); }
    void remove(Upid upid) { hash_.remove(upid); }
    void withdraw(Upid upid) { hash_.remove(upid); }
    bool alone(Upid upid) const { return hash_.alone(upid); }

    void forget(EntryId id) {
        const NamespaceId own = namespace_of(id);
        if (own == NamespaceId::none) return;
        for (unsigned depth = 0; depth <= namespaces().depth_of(own); ++depth)
            upid_at(id, depth).store(0, std::memory_order_relaxed);
    }

    // Upid without entry, by depth and entry. Relaxed: noted before the slot that refers to the entry, which
    // orders it.
    std::atomic<uint64_t>* upids_;
    Hash hash_;
};

static_assert(Numbering<HashNumbering>);

}  // namespace ctr::pidns
