// Marks and sweeps: finds out what killed processes have left behind, and frees what nobody uses.
//
// There are no reference counts that a killed process could leave wrong. One pass, O(entries ever in use):
//
//   settle   a claim whose owner has died         is freed, if nobody else sees to that
//            a live entry without a process       becomes dead
//            a live entry outside the index       gets into it, or is dead if its process has another entry
//   mark     the group, session and namespace of all claimed and live entries get this pass's stamp
//   sweep    a dead entry that neither this pass nor the one before nor a joiner has stamped is freed
//            the same for namespaces without entries and children
//
// One collector at a time for a mapping (the monitor), at any time beside any number of workers, who never
// wait for it. It may be killed as well: what it was freeing is then a claim that no process owns, and the
// next one's first find.
//
// A released number is free after two passes. So the one who is told that numbers have run out collects twice
// and tries again before the answer is EAGAIN.
//
// What cannot be seen: a claim whose owner was killed and whose host number has gone to another process stays
// until that one ends. It costs the numbers of one entry.
#pragma once

#include "pidns/model/table.h"

namespace ctr::pidns {

// Claims whose owners have died: kept by whoever looks for the process that each may have been made for.
enum class LostClaims { freed, kept };

// Exists: bool(HostPid), true for zombies as well (kill(pid, 0) of Linux says that).
template <class Model, class Exists>
class Collector {
  public:
    // After a pass. ended: found dead in it, without release. freed: entries.
    struct Census {
        uint32_t claimed = 0;
        uint32_t live = 0;
        uint32_t dead = 0;
        uint32_t ended = 0;
        uint32_t freed = 0;
    };

    Collector(Model& model, Exists exists, LostClaims lost = LostClaims::freed)
        : model_(model), exists_(exists), lost_(lost) {}

    Census collect() {
        census_ = Census();
        epoch_ = model_.header_->epoch.fetch_add(1, std::memory_order_seq_cst) + 1;
        const uint32_t high = model_.high();
        for (uint32_t i = 1; i < high; ++i) settle(EntryId(i));
        uint32_t lowest_free = high;
        for (uint32_t i = high; i-- > 1;) {
            sweep(EntryId(i));
            if (count(EntryId(i)) == State::free) lowest_free = i;
        }
        // Low entries first: the part of the mapping in use, and the way of the next pass, stay short.
        model_.header_->cursor.store(lowest_free, std::memory_order_relaxed);
        sweep_namespaces();
        return census_;
    }

  private:
    bool alive(HostPid host) const { return model_.valid(host) && exists_(host); }

    bool is_lost(HostPid claimant) const {
        return claimant == Word::collector || (lost_ == LostClaims::freed && !alive(claimant));
    }

    void settle(EntryId id) {
        const Word word = model_.load(id);
        if (word.is(State::free)) return;
        if (word.is(State::claimed) && is_lost(word.who())) {
            free(id, word);
        } else if (word.is(State::live) && !alive(word.who())) {
            if (end(id, word)) ++census_.ended;
        } else if (word.is(State::live) && model_.enter_index(id, word) != id) {
            end(id, word);
        }
        mark(id);
    }

    void mark(EntryId id) {
        const Word word = model_.load(id);
        if (word.is(State::free)) return;
        model_.namespaces_.mark(model_.namespace_of(id), epoch_);
        if (word.is(State::dead)) return;
        // Sequentially consistent, the other half of Table::join.
        model_.touch(EntryId(model_.entry(id).group.load(std::memory_order_seq_cst)));
        model_.touch(EntryId(model_.entry(id).session.load(std::memory_order_seq_cst)));
    }

    void sweep(EntryId id) {
        const Word word = model_.load(id);
        if (word.expired(epoch_)) free(id, word);
    }

    // Fails if anybody has changed the word since: a joiner's stamp, the owner's last act.
    void free(EntryId id, Word seen) {
        if (!model_.exchange(id, seen, seen.with(State::claimed).with_who(Word::collector))) return;
        model_.free(id, false);
        ++census_.freed;
    }

    bool end(EntryId id, Word seen) {
        return model_.exchange(id, seen, seen.with(State::dead).stamped(epoch_));
    }

    State count(EntryId id) {
        const State state = model_.load(id).state();
        if (state == State::claimed) ++census_.claimed;
        if (state == State::live) ++census_.live;
        if (state == State::dead) ++census_.dead;
        return state;
    }

    void sweep_namespaces() {
        Namespaces& spaces = model_.namespaces_;
        const uint32_t high = spaces.high();
        for (uint32_t i = raw(NamespaceId::root) + 1; i < high; ++i)
            if (!spaces.load(NamespaceId(i)).is(State::free))
                spaces.mark(spaces.parent_of(NamespaceId(i)), epoch_);
        for (uint32_t i = raw(NamespaceId::root) + 1; i < high; ++i)
            spaces.sweep(NamespaceId(i), epoch_, [this](HostPid host) { return alive(host); });
    }

    Model& model_;
    Exists exists_;
    LostClaims lost_;
    Census census_;
    uint32_t epoch_ = 0;
};

}  // namespace ctr::pidns
