// What a model of process numbering offers: the vocabulary, the limits and the concept.
//
// A model is a *view* of one shared mapping that many processes use at once. There are three:
//
//   FlatNumbering  flat_numbering.h  two numbers for a process, direct index; cost independent of depth
//   HashNumbering  hash_numbering.h  one number for each level, hash of (namespace, number)
//   ListNumbering  list_numbering.h  the same numbers, found by walking a list, as in the patches of 2007
//
// Freestanding: no allocation, no I/O, no locks, no C library. All code is in headers, because it is compiled
// twice with different flags: into the monitor and into code that runs inside workloads.
//
// An *entry* is what the kernel calls struct pid: a host number and the numbers that belong to it. Its life:
//
//        allocate           publish              release           two collections without a user
//   free ---------> claimed --------> live ----------------> dead ------------------------------> free
//     ^                |                                                                            |
//     +--- cancel -----+                                                                            |
//     +---------------------------------------------------------------------------------------------+
//
// Threads: everything here may be called by any thread of any process that maps the memory, at any time, and
// each of them may be killed between any two instructions. One Collector (collector.h) at a time repairs and
// frees. An EntryId that was looked up stays what it was until the second collection after its release: use
// it, don't keep it.
//
// Hostile memory: a workload can write to the mapping. Sizes are kept in the view, every index read from the
// memory is checked, every walk is bounded. Wrong answers are possible then; crashes and endless loops
// aren't.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "runtime/base/ids.h"

namespace ctr::pidns {

// The values are part of the format of file.h.
enum class Model : uint32_t {
    flat = 1,
    hash = 2,
    list = 3,
};

enum class NamespaceId : uint32_t { none = 0, root = 1 };
enum class EntryId : uint32_t { none = 0 };

constexpr uint32_t raw(NamespaceId id) {
    return static_cast<uint32_t>(id);
}
constexpr uint32_t raw(EntryId id) {
    return static_cast<uint32_t>(id);
}

// The root is on level 1. MAX_PID_NS_LEVEL of include/linux/pid_namespace.h.
constexpr unsigned max_level = 32;

// All exclusive: numbers run from 1 to numbers - 1 in each namespace (as kernel.pid_max), and so do the
// others.
struct Limits {
    uint32_t numbers;
    uint32_t host_numbers;
    uint32_t entries;
    uint32_t namespaces;
};

constexpr unsigned number_bits = 22;  // PID_MAX_LIMIT is 2^22
constexpr unsigned entry_bits = 24;
constexpr unsigned namespace_bits = 16;

constexpr bool valid(const Limits& limits) {
    return limits.numbers >= 2 && limits.numbers <= 1U << number_bits &&            //
           limits.host_numbers >= 2 && limits.host_numbers <= 1U << number_bits &&  //
           limits.entries >= 2 && limits.entries <= 1U << entry_bits &&             //
           limits.namespaces >= 2 && limits.namespaces <= 1U << namespace_bits;
}

template <class M>
concept Numbering = requires(M model, const M view, Limits limits, void* zeroed_memory, NamespaceId space,
                             EntryId entry, HostPid host, VirtPid number) {
    // Size of the mapping for valid(limits), in bytes. Most of it is never touched: map it without reserve.
    { M::bytes(limits) } -> std::same_as<std::size_t>;
    // Aligned to a cache line. The view owns nothing; any number of views of the same memory may exist.
    M(zeroed_memory, limits);

    // The root exists from the beginning. A namespace lives until it has had an init and has no entry left,
    // or until its holder has died without making one. none: it would be on level 33, its parent is ending,
    // or there are too many (ENOSPC). Arguments: parent, holder.
    { model.create_namespace(space, host) } -> std::same_as<NamespaceId>;
    { view.parent_of(space) } -> std::same_as<NamespaceId>;
    { view.level_of(space) } -> std::same_as<unsigned>;    // 0: no such namespace
    { view.last_number(space) } -> std::same_as<VirtPid>;  // handed out last

    // Claims an entry and its numbers: the next ones, cyclically; after a wrap those below 300 are left
    // alone. The first entry of a namespace is its init, number 1. The second argument is the process that
    // makes the claim: if it dies, the claim is collected. A claim by, or on behalf of, the process that will
    // bear the number has that process itself as owner. none: numbers have run out on some level, or the
    // namespace is ending (EAGAIN, ENOMEM).
    { model.allocate(space, host) } -> std::same_as<EntryId>;

    // Gives back a claim. Its numbers are the next ones again if nobody has allocated since.
    {model.cancel(entry)};

    // Registers: the claim becomes the entry of that process. Parent and child may both come; one wins, the
    // other's claim is cancelled; the winner's entry is returned. An entry that is left from an earlier
    // bearer of the host number is replaced. none: not a claim. Arguments: claim, host, group, session (the
    // claim itself: a leader).
    { model.publish(entry, host, entry, entry) } -> std::same_as<EntryId>;

    // Of live entries and dead ones (groups and sessions outlive their leaders); is_process says which.
    { view.entry_of(host) } -> std::same_as<EntryId>;
    { view.find(space, number) } -> std::same_as<EntryId>;
    { view.host_of(entry) } -> std::same_as<HostPid>;
    { view.is_process(entry) } -> std::same_as<bool>;

    // Also of the caller's own claim. none: the entry cannot be seen from that namespace.
    { view.number_in(entry, space) } -> std::same_as<VirtPid>;
    { view.namespace_of(entry) } -> std::same_as<NamespaceId>;

    // Both translations in one step, the hot path.
    { view.number_of(host, space) } -> std::same_as<VirtPid>;
    { view.host_of(space, number) } -> std::same_as<HostPid>;

    // false: the group or session has been freed meanwhile; the entry is in none then. Entry, then group or
    // session.
    { model.set_group(entry, entry) } -> std::same_as<bool>;
    { model.set_session(entry, entry) } -> std::same_as<bool>;
    { view.group_of(entry) } -> std::same_as<EntryId>;
    { view.session_of(entry) } -> std::same_as<EntryId>;

    // The process was reaped. One atomic step, idempotent. Look the entry up *before* the call that reaps:
    // afterwards the host may have given the number to somebody else.
    {model.release(entry)};
};

}  // namespace ctr::pidns
