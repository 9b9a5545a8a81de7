// The entries of a model and their lives: what the three models have in common.
//
// Model derives from Table<Model, Numbers>, where Numbers is what an entry keeps about its numbers, and says
// where the numbers are:
//
//   bool claim_numbers(EntryId, NamespaceId)   takes a number on each level; false: takes none
//   void drop_numbers(EntryId, bool unseen)    makes them free; unseen: as if they had never been handed out
//   Upid index_word(EntryId)                   what the index by host number holds for this entry
//   void announce(EntryId, HostPid)            the entry has got its host number
//
// Every one of them may be repeated and may find its work half done: the collector calls them for whoever was
// killed.
//
// Registration. An entry is published in two steps: its word becomes live, then index[host] is set to it; the
// second decides between two that register the same process. Whoever is killed in between has registered: the
// collector, or who comes second, completes it. The rule that tells the process's other registration from the
// entry of an earlier process with the same number is `rightful`.
//
// Groups and sessions. Nobody counts uses: a killed process would leave the count wrong. The collector looks
// which dead entries are still named by a live one. That a number which has just been joined isn't freed by a
// collection that looked before: a joiner first stamps the entry with the collection's number (`touch`), and
// a dead entry is freed only if its stamp is two collections old, by a compare-and-swap of the same word.
#pragma once

#include <atomic>

#include "pidns/model/layout.h"
#include "pidns/model/namespaces.h"
#include "pidns/model/upid.h"
#include "pidns/model/word.h"

namespace ctr::pidns {

template <class Model, class Exists>
class Collector;

template <class Model, class Numbers>
class Table {
  public:
    NamespaceId create_namespace(NamespaceId parent, HostPid holder) {
        return valid(holder) ? namespaces_.create(parent, holder, epoch()) : NamespaceId::none;
    }
    NamespaceId parent_of(NamespaceId id) const { return namespaces_.parent_of(id); }
    unsigned level_of(NamespaceId id) const { return namespaces_.level_of(id); }
    // Its init has ended, says whoever watches that.
    void end_namespace(NamespaceId id) { namespaces_.end(id, epoch()); }
    bool is_open(NamespaceId id) const { return namespaces_.is_open(id); }
    VirtPid last_number(NamespaceId id) const { return namespaces_.last_number(id); }

    EntryId allocate(NamespaceId space, HostPid owner) {
        if (!namespaces_.valid(space) || !valid(owner)) return EntryId::none;
        const EntryId id = claim_entry(owner);
        if (id == EntryId::none) return id;
        entry(id).space.store(raw(space), std::memory_order_seq_cst);
        if (namespaces_.touch(space, epoch()) && model().claim_numbers(id, space)) return id;
        free(id, false);
        return EntryId::none;
    }

    void cancel(EntryId id) {
        if (valid(id) && load(id).is(State::claimed)) free(id, true);
    }

    EntryId publish(EntryId id, HostPid host, EntryId group, EntryId session) {
        if (!valid(id) || !valid(host)) return EntryId::none;
        const Word claimed = load(id);
        if (claimed.bears(host)) return id;
        if (!claimed.is(State::claimed)) return EntryId::none;

        Word live = claimed.with(State::live).with_who(host).stamped(epoch());
        live = live.adopted_if(claimed.who() == host);
        if (const EntryId other = registered(host); other != EntryId::none && rightful(load(other), live)) {
            cancel(id);
            model().announce(other, host);  // in case the other has been killed just before
            return other;
        }
        if (const EntryId other = indexed(host); valid(other) && outran(load(other), live)) {
            cancel(id);
            return other;
        }
        Entry& e = entry(id);
        e.host.store(static_cast<uint32_t>(raw(host)), std::memory_order_relaxed);
        join(e.group, group, id);
        join(e.session, session, id);
        if (!exchange(id, claimed, live)) return EntryId::none;

        const EntryId winner = enter_index(id, live);
        if (winner != id) retract(id, live.birth(), claimed.who());
        return winner;
    }

    EntryId entry_of(HostPid host) const {
        const EntryId id = indexed(host);
        return valid(id) && host_of(id) == host ? id : EntryId::none;
    }

    HostPid host_of(EntryId id) const {
        if (!valid(id)) return HostPid::none;
        const Word word = load(id);
        return word.published() && valid(word.who()) ? word.who() : HostPid::none;
    }

    // Tells an entry from a later one in its place.
    uint32_t birth_of(EntryId id) const { return valid(id) ? load(id).birth() : 0; }

    // Who has claimed it; none: it is no claim.
    HostPid claimant_of(EntryId id) const {
        return valid(id) && load(id).is(State::claimed) ? load(id).who() : HostPid::none;
    }

    // The claim that was made for a process which nobody has registered. none: it can't be told from the
    // other claims of its creator, somebody is just registering it, or there is none. O(entries).
    EntryId claim_for(HostPid process, HostPid creator) const {
        EntryId found = EntryId::none;
        for (uint32_t i = 1; i < high(); ++i) {
            const Word word = load(EntryId(i));
            // Without this another's claim would be the only one that is left.
            if (word.published() && word.who() == process) return EntryId::none;
            if (!word.is(State::claimed) || word.who() != creator) continue;
            if (found != EntryId::none) return EntryId::none;
            found = EntryId(i);
        }
        return found;
    }

    bool is_process(EntryId id) const { return valid(id) && load(id).is(State::live); }

    NamespaceId namespace_of(EntryId id) const {
        if (!valid(id)) return NamespaceId::none;
        const auto space = NamespaceId(entry(id).space.load(std::memory_order_relaxed));
        return namespaces_.valid(space) ? space : NamespaceId::none;
    }

    bool set_group(EntryId id, EntryId group) { return is_process(id) && join(entry(id).group, group, id); }
    bool set_session(EntryId id, EntryId session) {
        return is_process(id) && join(entry(id).session, session, id);
    }
    EntryId group_of(EntryId id) const { return valid(id) ? published(entry(id).group) : EntryId::none; }
    EntryId session_of(EntryId id) const { return valid(id) ? published(entry(id).session) : EntryId::none; }

    void release(EntryId id) {
        if (!valid(id)) return;
        for (unsigned tries = 0; tries < patience; ++tries) {
            const Word word = load(id);
            if (!word.is(State::live) || exchange(id, word, word.with(State::dead).stamped(epoch()))) return;
        }
    }

    // Calls visit(EntryId) for every process. The visitor may release it.
    template <class Visitor>
    void each_process(Visitor visit) const {
        for (uint32_t i = 1; i < high(); ++i)
            if (load(EntryId(i)).is(State::live)) visit(EntryId(i));
    }

    // Calls visit(EntryId, Word) for every entry that isn't free; for audits.
    template <class Visitor>
    void each_entry(Visitor visit) const {
        for (uint32_t i = 1; i < high(); ++i)
            if (const Word word = load(EntryId(i)); !word.is(State::free)) visit(EntryId(i), word);
    }

    // Calls visit(NamespaceId) for every namespace; for audits.
    template <class Visitor>
    void each_namespace(Visitor visit) const {
        visit(NamespaceId::root);
        for (uint32_t i = raw(NamespaceId::root) + 1; i < namespaces_.high(); ++i)
            if (!namespaces_.load(NamespaceId(i)).is(State::free)) visit(NamespaceId(i));
    }

    const Limits& limits() const { return limits_; }

  protected:
    struct alignas(32) Entry {
        // Written with release after the fields below, read with acquire before them. Sequentially
        // consistent, which costs nothing more (every write is a locked instruction), because a joiner's
        // stamp and a collector's look at the joiner's group are an exchange of glances: one must see the
        // other.
        std::atomic<uint64_t> word;
        // EntryIds. Stored sequentially consistent, as above; readers load relaxed.
        std::atomic<uint32_t> group;
        std::atomic<uint32_t> session;
        // For the collector, when the word has already lost it. Relaxed.
        std::atomic<uint32_t> host;
        // NamespaceId. Stored sequentially consistent, see Namespaces::Record::word.
        std::atomic<uint32_t> space;
        [[no_unique_address]] Numbers numbers;
    };
    static_assert(sizeof(Entry) == 32, "two to a cache line, none across two");
    static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);

    static constexpr std::size_t table_bytes(const Limits& limits) {
        return room_for<Header>(1) + Namespaces::bytes(limits) + room_for<Entry>(limits.entries) +
               room_for<std::atomic<uint64_t>>(limits.host_numbers);
    }

    Table(std::byte*& at, const Limits& limits)
        : limits_(limits),
          header_(take_array<Header>(at, 1)),
          namespaces_(at, limits),
          entries_(take_array<Entry>(at, limits.entries)),
          index_(take_array<std::atomic<uint64_t>>(at, limits.host_numbers)) {}

    bool valid(EntryId id) const { return raw(id) > 0 && raw(id) < limits_.entries; }
    bool valid(HostPid host) const {
        return raw(host) > 0 && static_cast<uint32_t>(raw(host)) < limits_.host_numbers;
    }
    bool valid(VirtPid number) const {
        return raw(number) > 0 && static_cast<uint32_t>(raw(number)) < limits_.numbers;
    }

    Entry& entry(EntryId id) const { return entries_[raw(id)]; }
    Word load(EntryId id) const { return Word(entry(id).word.load(std::memory_order_seq_cst)); }

    // Acquire: what is found through the index was written before it.
    Upid index_at(HostPid host) const { return Upid(index_[raw(host)].load(std::memory_order_acquire)); }

    Namespaces& namespaces() { return namespaces_; }
    const Namespaces& namespaces() const { return namespaces_; }

  private:
    template <class, class>
    friend class Collector;

    struct Header {
        std::atomic<uint32_t> epoch;  // of the collection: sequentially consistent, as the entries' words
        std::atomic<uint32_t> high;   // above the highest entry ever claimed; raised (release) before it is
        // Written at each claim; the line above is only read. Both relaxed: a counter that only has to differ
        // each time, and a hint where the search for a free entry begins.
        alignas(cache_line) std::atomic<uint32_t> births;
        std::atomic<uint32_t> cursor;
    };

    Model& model() { return static_cast<Model&>(*this); }

    uint32_t epoch() const { return header_->epoch.load(std::memory_order_seq_cst); }

    uint32_t high() const {
        const uint32_t high = header_->high.load(std::memory_order_acquire);
        return high < limits_.entries ? high : limits_.entries;
    }

    bool exchange(EntryId id, Word from, Word to) {
        uint64_t expected = from.bits();
        return entry(id).word.compare_exchange_strong(expected, to.bits(), std::memory_order_seq_cst);
    }

    EntryId claim_entry(HostPid owner) {
        const Word claimed = Word::claim(owner, header_->births.fetch_add(1, std::memory_order_relaxed));
        const uint32_t start = header_->cursor.load(std::memory_order_relaxed);
        EntryId id = claim_between(start, limits_.entries, claimed);
        if (id == EntryId::none)
            id = claim_between(1, start < limits_.entries ? start : limits_.entries, claimed);
        if (id != EntryId::none) header_->cursor.store(raw(id) + 1, std::memory_order_relaxed);
        return id;
    }

    EntryId claim_between(uint32_t from, uint32_t end, Word claimed) {
        for (uint32_t i = from > 0 ? from : 1; i < end; ++i) {
            const Word word = load(EntryId(i));
            if (!word.is(State::free)) continue;
            raise_high(i + 1);
            if (exchange(EntryId(i), word, claimed)) return EntryId(i);
        }
        return EntryId::none;
    }

    void raise_high(uint32_t to) {
        uint32_t now = header_->high.load(std::memory_order_relaxed);
        for (unsigned tries = 0; now < to && tries < patience; ++tries)
            if (header_->high.compare_exchange_weak(now, to, std::memory_order_release,
                                                    std::memory_order_relaxed))
                return;
    }

    // The caller has claimed it. Its word comes last: until then a collector finds a claim that it can finish
    // freeing.
    void free(EntryId id, bool unseen) {
        Entry& e = entry(id);
        const auto host = HostPid(static_cast<int>(e.host.load(std::memory_order_relaxed)));
        if (valid(host)) leave_index(id, host);
        model().drop_numbers(id, unseen);
        e.host.store(0, std::memory_order_relaxed);
        e.group.store(0, std::memory_order_relaxed);
        e.session.store(0, std::memory_order_relaxed);
        e.space.store(0, std::memory_order_relaxed);
        const Word word = load(id);
        if (word.is(State::claimed)) exchange(id, word, word.with(State::free));
    }

    // Stamps a published entry, so that this collection and the next don't free it. An unpublished word: it
    // is gone.
    Word touch(EntryId id) {
        for (unsigned tries = 0; valid(id) && tries < patience; ++tries) {
            const Word word = load(id);
            const uint32_t now = epoch();
            if (!word.published() || word.age(now) == 0 || exchange(id, word, word.stamped(now))) return word;
        }
        return Word();
    }

    // The second look finds out if this thread slept through two collections between the stamp and the store.
    bool join(std::atomic<uint32_t>& field, EntryId target, EntryId self) {
        const Word before = target == self ? Word() : touch(target);
        if (target == self || before.published()) {
            field.store(raw(target), std::memory_order_seq_cst);
            if (target == self) return true;
            const Word after = load(target);
            if (after.published() && after.birth() == before.birth()) return true;
        }
        field.store(0, std::memory_order_seq_cst);
        return false;
    }

    EntryId published(const std::atomic<uint32_t>& field) const {
        const auto id = EntryId(field.load(std::memory_order_relaxed));
        return valid(id) && load(id).published() ? id : EntryId::none;
    }

    EntryId indexed(HostPid host) const { return valid(host) ? index_at(host).entry() : EntryId::none; }

    // The live entry which the index has for this process.
    EntryId registered(HostPid host) const {
        const EntryId id = indexed(host);
        return valid(id) && load(id).bears(host) ? id : EntryId::none;
    }

    // Two live entries name the same process. Does the one in the index stay? A creator claims before the
    // process exists, so whatever was claimed later is the new process's own registration and whatever was
    // claimed earlier belongs to a former bearer of the host number. An adoption comes after birth, so it
    // yields to any.
    static bool rightful(Word in_index, Word candidate) {
        return candidate.adopted() || in_index.born_after(candidate);
    }

    // A creator comes with its claim, and the process was adopted meanwhile, has ended and been waited for.
    static bool outran(Word in_index, Word creators) {
        return in_index.is(State::dead) && in_index.who() == creators.who() && in_index.adopted() &&
               !creators.adopted() && in_index.born_after(creators);
    }

    // Puts a live entry into the index, or returns the rightful one that is there. The caller may sleep
    // anywhere in here for longer than the process lives; then the last look finds out, and the index is as
    // it was.
    EntryId enter_index(EntryId id, Word live) {
        const HostPid host = live.who();
        for (unsigned tries = 0; tries < patience; ++tries) {
            const Upid now = index_at(host);
            const EntryId other = now.entry();
            if (other != id && valid(other)) {
                const Word word = load(other);
                if (outran(word, live)) return other;
                if (word.bears(host) && rightful(word, live)) {
                    model().announce(other, host);
                    return other;
                }
                if (word.bears(host) && !exchange(other, word, word.with(State::dead).stamped(epoch())))
                    continue;
            }
            const Upid wanted = model().index_word(id);
            uint64_t expected = now.bits();
            if (now != wanted && !index_[raw(host)].compare_exchange_strong(expected, wanted.bits(),
                                                                            std::memory_order_acq_rel))
                continue;
            model().announce(id, host);
            const Word after = load(id);
            if (!after.published() || after.birth() != live.birth()) leave_index(id, host);
            return id;
        }
        return EntryId::none;
    }

    void leave_index(EntryId id, HostPid host) {
        Upid now = index_at(host);
        uint64_t expected = now.bits();
        if (now.entry() == id)
            index_[raw(host)].compare_exchange_strong(expected, 0, std::memory_order_acq_rel);
    }

    // Another entry was registered for the process. Unless the collector has seen that first, this one is
    // cancelled.
    void retract(EntryId id, uint32_t birth, HostPid owner) {
        for (unsigned tries = 0; tries < patience; ++tries) {
            const Word word = load(id);
            if (!word.is(State::live) || word.birth() != birth) return;
            if (exchange(id, word, word.with(State::claimed).with_who(owner))) return free(id, true);
        }
    }

    Limits limits_;
    Header* header_;
    Namespaces namespaces_;
    Entry* entries_;
    std::atomic<uint64_t>*
        index_;  // Upid by host number; in order after the entry's word (release and acquire)
};

}  // namespace ctr::pidns
