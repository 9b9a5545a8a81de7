// Flat numbering: a process has the host's number and one in its own namespace, at any depth (the OpenVZ
// view).
//
// A namespace that is made inside another is its sibling for all but one purpose: its init, and whoever else
// a process outside makes there, has a second number in the namespace of its maker, who can wait for it and
// signal it. The other processes are seen in their own namespace only, and nobody's number depends on how
// deep the namespace is.
//
// Both directions take one access: an array of numbers for each namespace whose slots hold {host number,
// entry}, and the index by host number whose slots hold {namespace, number, entry}. They are kept right by
// whoever changes them and by the collector, and not compared with the entry when read.
#pragma once

#include "pidns/model/table.h"

namespace ctr::pidns {

struct alignas(4) FlatNumbers {
    std::atomic<uint32_t> own;  // Relaxed: stored before the slot that refers to the entry, which orders it.
    // In the parent of the entry's namespace; 0 unless it is an init, or was made by a process there.
    std::atomic<uint32_t> outer;
};

class FlatNumbering : public Table<FlatNumbering, FlatNumbers> {
    using Base = Table<FlatNumbering, FlatNumbers>;

  public:
    static constexpr std::size_t bytes(const Limits& limits) {
        return table_bytes(limits) +
               room_for<std::atomic<uint64_t>>(std::size_t{limits.namespaces} * limits.numbers);
    }

    FlatNumbering(void* memory, const Limits& limits)
        : FlatNumbering(static_cast<std::byte*>(memory), limits, 0) {}

    using Base::host_of;

    EntryId find(NamespaceId space, VirtPid number) const {
        if (!namespaces().valid(space) || !valid(number)) return EntryId::none;
        const Upid found = load_slot(space, number);
        return found.host() != HostPid::none && valid(found.entry()) ? found.entry() : EntryId::none;
    }

    HostPid host_of(NamespaceId space, VirtPid number) const {
        if (!namespaces().valid(space) || !valid(number)) return HostPid::none;
        const HostPid host = load_slot(space, number).host();
        return valid(host) ? host : HostPid::none;
    }

    VirtPid number_of(HostPid host, NamespaceId space) const {
        if (!valid(host)) return VirtPid::none;
        const uint64_t number = index_at(host).number_within(space);
        if (number - 1 < limits().numbers - 1) return VirtPid(static_cast<int>(number));
        return number_in(entry_of(host), space);
    }

    VirtPid number_in(EntryId id, NamespaceId space) const {
        if (!valid(id) || space == NamespaceId::none) return VirtPid::none;
        const NamespaceId own = namespace_of(id);
        if (own == space) return number(entry(id).numbers.own);
        return namespaces().parent_of(own) == space ? number(entry(id).numbers.outer) : VirtPid::none;
    }

    // For audits: visit(Upid) for each number that an entry says it has, and for each that the arrays have.
    template <class Visitor>
    void each_number(EntryId id, Visitor visit) const {
        const NamespaceId own = namespace_of(id);
        if (const VirtPid n = number(entry(id).numbers.own); n != VirtPid::none) visit(Upid(own, n, id));
        if (const VirtPid n = number(entry(id).numbers.outer); n != VirtPid::none)
            visit(Upid(namespaces().parent_of(own), n, id));
    }

    template <class Visitor>
    void each_slot(Visitor visit) const {
        for (uint32_t s = 1; s < limits().namespaces; ++s)
            for (uint32_t n = 1; n < limits().numbers; ++n)
                if (const Upid found = load_slot(NamespaceId(s), VirtPid(static_cast<int>(n)));
                    !found.empty())
                    visit(Upid(NamespaceId(s), VirtPid(static_cast<int>(n)), found.entry()));
    }

  private:
    friend Base;

    FlatNumbering(std::byte* at, const Limits& limits, int)
        : Base(at, limits),
          slots_(take_array<std::atomic<uint64_t>>(at, std::size_t{limits.namespaces} * limits.numbers)) {}

    std::atomic<uint64_t>& slot(NamespaceId space, VirtPid number) const {
        return slots_[std::size_t{raw(space)} * limits().numbers + static_cast<uint32_t>(raw(number))];
    }
    Upid load_slot(NamespaceId space, VirtPid number) const {
        return Upid(slot(space, number).load(std::memory_order_acquire));
    }
    VirtPid number(const std::atomic<uint32_t>& field) const {
        const auto number = VirtPid(static_cast<int>(field.load(std::memory_order_relaxed)));
        return valid(number) ? number : VirtPid::none;
    }

    bool claim_numbers(EntryId id, NamespaceId space) {
        FlatNumbers& numbers = entry(id).numbers;
        if (!claim_number(id, space, numbers.own)) return false;
        const NamespaceId parent = namespaces().parent_of(space);
        const EntryId maker = entry_of(load(id).who());
        const bool from_outside = is_process(maker) && namespace_of(maker) == parent;
        const bool init = number(numbers.own) == VirtPid::init;
        if (parent == NamespaceId::none || (!init && !from_outside)) return true;
        if (claim_number(id, parent, numbers.outer)) return true;
        drop_numbers(id, true);
        return false;
    }

    // The number is in the entry before it is in the slot, so that the collector finds the slot of a killed
    // claimer.
    bool claim_number(EntryId id, NamespaceId space, std::atomic<uint32_t>& field) {
        for (unsigned tries = 0; tries < ticket_tries; ++tries) {
            const VirtPid next = namespaces().next_number(
                space, [&](VirtPid n) { return slot(space, n).load(std::memory_order_relaxed) != 0; });
            field.store(static_cast<uint32_t>(raw(next)), std::memory_order_relaxed);
            if (next == VirtPid::none) return false;
            uint64_t empty = 0;
            if (slot(space, next)
                    .compare_exchange_strong(empty, Upid(HostPid::none, id).bits(), std::memory_order_release,
                                             std::memory_order_relaxed))
                return true;
        }
        field.store(0, std::memory_order_relaxed);
        return false;
    }

    void drop_numbers(EntryId id, bool unseen) {
        const NamespaceId own = namespace_of(id);
        drop_number(id, namespaces().parent_of(own), entry(id).numbers.outer, unseen);
        drop_number(id, own, entry(id).numbers.own, unseen);
    }

    void drop_number(EntryId id, NamespaceId space, std::atomic<uint32_t>& field, bool unseen) {
        const VirtPid old = number(field);
        if (old != VirtPid::none && space != NamespaceId::none) {
            const Upid now = load_slot(space, old);
            uint64_t expected = now.bits();
            const bool mine = now.entry() == id;
            if (mine && slot(space, old).compare_exchange_strong(expected, 0, std::memory_order_acq_rel) &&
                unseen)
                namespaces().give_back(space, old);
        }
        field.store(0, std::memory_order_relaxed);
    }

    Upid index_word(EntryId id) const { return Upid(namespace_of(id), number(entry(id).numbers.own), id); }

    void announce(EntryId id, HostPid host) {
        const NamespaceId own = namespace_of(id);
        announce_number(id, own, number(entry(id).numbers.own), host);
        announce_number(id, namespaces().parent_of(own), number(entry(id).numbers.outer), host);
    }

    void announce_number(EntryId id, NamespaceId space, VirtPid number, HostPid host) {
        if (space == NamespaceId::none || number == VirtPid::none) return;
        const Upid now = load_slot(space, number);
        uint64_t expected = now.bits();
        if (now.entry() == id && now.host() != host)
            slot(space, number)
                .compare_exchange_strong(expected, Upid(host, id).bits(), std::memory_order_release,
                                         std::memory_order_relaxed);
    }

    std::atomic<uint64_t>*
        slots_;  // Upid {host, entry} by namespace and number. Release and acquire: order the entry.
};

static_assert(Numbering<FlatNumbering>);

}  // namespace ctr::pidns
