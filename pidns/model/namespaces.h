// The namespaces of a mapping: a tree of at most 32 levels, and in each the number that was handed out last.
//
// A namespace's word (word.h) has as "who" its holder, the process that created it. It is live from creation;
// the collector makes it dead when it has no entry and no child and never can have (its init has been, or its
// holder has died), which refuses new entries, and frees it two collections later, when an allocation that
// has not seen the change would have been seen.
#pragma once

#include <atomic>

#include "pidns/model/layout.h"
#include "pidns/model/word.h"

namespace ctr::pidns {

// Bounds every loop around a compare-and-swap. Each lost round is another thread's progress, so only somebody
// who scribbles over the memory can exhaust it.
constexpr unsigned patience = 1000;

// Bounds the search for a number whose ticket was won: that the number is taken all the same means that
// somebody slept for a round through all numbers between winning its ticket and taking it.
constexpr unsigned ticket_tries = 16;

class Namespaces {
  public:
    static constexpr std::size_t bytes(const Limits& limits) {
        return room_for<Counters>(1) + room_for<Record>(limits.namespaces);
    }

    Namespaces(std::byte*& at, const Limits& limits)
        : limit_(limits.namespaces),
          numbers_(limits.numbers),
          counters_(take_array<Counters>(at, 1)),
          records_(take_array<Record>(at, limits.namespaces)) {}

    constexpr bool valid(NamespaceId id) const { return raw(id) > 0 && raw(id) < limit_; }

    // To be called by whoever has just named this namespace, as an entry's or a child's: keeps it through
    // this collection and the next, which will see the name. false: it is ending, nothing new may be made in
    // it.
    bool touch(NamespaceId id, uint32_t epoch) {
        if (id == NamespaceId::root) return true;
        if (!valid(id)) return false;
        for (unsigned tries = 0; tries < patience; ++tries) {
            const Word word = load(id);
            if (!word.is(State::live)) return false;
            if (word.age(epoch) == 0 || exchange(id, word, word.stamped(epoch))) return true;
        }
        return false;
    }

    // Nearer to the root, so that a walk of whoever goes on from parent to parent comes to its end in any
    // memory.
    NamespaceId parent_of(NamespaceId id) const {
        if (!valid(id) || id == NamespaceId::root) return NamespaceId::none;
        const auto parent = NamespaceId(record(id).parent.load(std::memory_order_relaxed));
        return valid(parent) && depth_of(parent) < depth_of(id) ? parent : NamespaceId::none;
    }

    // Levels above it, 0 for the root. The id must be valid; that it exists is not checked.
    uint32_t depth_of(NamespaceId id) const {
        const uint32_t depth = record(id).depth.load(std::memory_order_relaxed);
        return depth < max_level ? depth : max_level - 1;
    }

    // 0: no such namespace.
    unsigned level_of(NamespaceId id) const {
        const bool exists = id == NamespaceId::root || (valid(id) && !load(id).is(State::free));
        return exists ? depth_of(id) + 1 : 0;
    }

    NamespaceId create(NamespaceId parent, HostPid holder, uint32_t epoch) {
        const unsigned level = level_of(parent);
        if (level == 0 || level >= max_level) return NamespaceId::none;
        const Word claimed = Word::claim(holder, counters_->births.fetch_add(1, std::memory_order_relaxed));
        const NamespaceId id = claim(claimed);
        if (id == NamespaceId::none) return id;
        Record& r = record(id);
        r.depth.store(level, std::memory_order_relaxed);
        r.last.store(0, std::memory_order_relaxed);
        r.parent.store(raw(parent), std::memory_order_seq_cst);
        if (touch(parent, epoch) && exchange(id, claimed, claimed.with(State::live).stamped(epoch)))
            return id;
        free(id, claimed);
        return NamespaceId::none;
    }

    // The next number of that namespace that is not used(number), which nobody else gets before the cursor
    // has been round. none: all are in use. As alloc_pid() of the kernel: [last + 1, end), then from 1 or,
    // once the cursor has passed RESERVED_PIDS, from 300. The budget bounds it while somebody scribbles over
    // the cursor.
    template <class Used>
    VirtPid next_number(NamespaceId id, Used used) {
        std::atomic<uint32_t>& cursor = record(id).last;
        uint64_t budget = uint64_t{4} * numbers_ + patience;
        while (budget > 0) {
            uint32_t last = cursor.load(std::memory_order_relaxed);
            const uint32_t start = last < numbers_ ? last + 1 : numbers_;
            uint32_t number = first_unused(start, numbers_, used, budget);
            const uint32_t low = start > reserved && numbers_ > reserved ? reserved : 1;
            if (number == 0) number = first_unused(low, start, used, budget);
            if (number == 0) return VirtPid::none;
            if (cursor.compare_exchange_strong(last, number, std::memory_order_relaxed))
                return VirtPid(static_cast<int>(number));
            if (budget > 0) --budget;
        }
        return VirtPid::none;
    }

    // Its init has ended: nothing new may be made in it. (Freed when nothing refers to it any more.)
    void end(NamespaceId id, uint32_t epoch) {
        for (unsigned tries = 0; valid(id) && id != NamespaceId::root && tries < patience; ++tries) {
            const Word word = load(id);
            if (!word.is(State::live) || exchange(id, word, word.with(State::dead).stamped(epoch))) return;
        }
    }

    // Neither it nor one above it has ended.
    bool is_open(NamespaceId id) const {
        for (unsigned level = 0; valid(id) && level < max_level; ++level) {
            if (id == NamespaceId::root) return true;
            if (!load(id).is(State::live)) return false;
            id = parent_of(id);
        }
        return false;
    }

    // Handed out last; none: none yet.
    VirtPid last_number(NamespaceId id) const {
        const uint32_t last = valid(id) ? record(id).last.load(std::memory_order_relaxed) : 0;
        return last < numbers_ ? VirtPid(static_cast<int>(last)) : VirtPid::none;
    }

    // The number was never seen by anybody: it is the next one again, if nobody has allocated since.
    void give_back(NamespaceId id, VirtPid number) {
        if (!valid(id) || raw(number) <= 0) return;
        auto last = static_cast<uint32_t>(raw(number));
        record(id).last.compare_exchange_strong(last, last - 1, std::memory_order_relaxed);
    }

    // The collector's half.

    uint32_t high() const {
        const uint32_t high = counters_->high.load(std::memory_order_acquire);
        return high < limit_ ? high : limit_;
    }

    Word load(NamespaceId id) const { return Word(record(id).word.load(std::memory_order_seq_cst)); }

    void mark(NamespaceId id, uint32_t epoch) {
        if (!valid(id)) return;
        // Lost only to somebody who has just stamped it.
        const Word word = load(id);
        if (!word.is(State::free) && word.age(epoch) != 0) exchange(id, word, word.stamped(epoch));
    }

    // To be called when everything in use has been marked.
    template <class Exists>
    void sweep(NamespaceId id, uint32_t epoch, Exists exists) {
        const Word word = load(id);
        if (word.is(State::claimed) && !exists(word.who())) free(id, word);
        if (word.expired(epoch)) free(id, word);
        if (!word.is(State::live) || word.age(epoch) < 2) return;
        const bool ended = record(id).last.load(std::memory_order_relaxed) != 0;
        if (ended || !exists(word.who())) exchange(id, word, word.with(State::dead).stamped(epoch));
    }

  private:
    static constexpr uint32_t reserved = 300;  // RESERVED_PIDS of include/linux/threads.h

    struct Counters {
        // Claims ever made. Relaxed: only its being different each time matters.
        std::atomic<uint32_t> births;
        // Above the highest record ever claimed. Raised, with release, *before* the claim, so that a record
        // whose claimer was killed is never beyond the collector's sight.
        std::atomic<uint32_t> high;
    };

    struct alignas(cache_line) Record {
        // Sequentially consistent: an allocation stores its namespace and then reads this word, the collector
        // changes this word and then (a pass later) reads the entries' namespaces; at least one must see the
        // other.
        std::atomic<uint64_t> word;
        // Level - 1, so that the zeroed root is right. Relaxed: written before the word.
        std::atomic<uint32_t> depth;
        // Read relaxed: written before the word. Stored sequentially consistent, for the reason given at
        // word.
        std::atomic<uint32_t> parent;
        // The number handed out last. Relaxed: it is a ticket, and what is done with it is ordered by the
        // slot and by the entry's word. In a line of its own: it is written at each fork, the fields above
        // only read.
        alignas(cache_line) std::atomic<uint32_t> last;
    };

    Record& record(NamespaceId id) const { return records_[raw(id)]; }

    bool exchange(NamespaceId id, Word from, Word to) {
        uint64_t expected = from.bits();
        return record(id).word.compare_exchange_strong(expected, to.bits(), std::memory_order_seq_cst);
    }

    void free(NamespaceId id, Word word) { exchange(id, word, word.with(State::free)); }

    NamespaceId claim(Word claimed) {
        for (uint32_t i = raw(NamespaceId::root) + 1; i < limit_; ++i) {
            const Word word = load(NamespaceId(i));
            if (!word.is(State::free)) continue;
            raise(counters_->high, i + 1);
            if (exchange(NamespaceId(i), word, claimed)) return NamespaceId(i);
        }
        return NamespaceId::none;
    }

    template <class Used>
    static uint32_t first_unused(uint32_t from, uint32_t end, Used& used, uint64_t& budget) {
        for (uint32_t n = from; n < end && budget > 0; ++n, --budget)
            if (!used(VirtPid(static_cast<int>(n)))) return n;
        return 0;
    }

    static void raise(std::atomic<uint32_t>& limit, uint32_t to) {
        uint32_t now = limit.load(std::memory_order_relaxed);
        for (unsigned tries = 0; now < to && tries < patience; ++tries)
            if (limit.compare_exchange_weak(now, to, std::memory_order_release, std::memory_order_relaxed))
                return;
    }

    uint32_t limit_;
    uint32_t numbers_;
    Counters* counters_;
    Record* records_;
};

}  // namespace ctr::pidns
