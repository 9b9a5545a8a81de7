// Multilevel numbering: a process has one number in its own namespace and one in each ancestor up to the
// root; siblings don't see it. What is common to the two ways to look it up (hash_numbering.h,
// list_numbering.h).
//
// Model says where the numbers are kept and found; every function may find its work half done:
//
//   bool has(NamespaceId, VirtPid)         somebody has that number
//   void note(EntryId, Upid, depth)        the entry keeps its number; done before `insert`
//   bool insert(Upid), void remove(Upid)   the way from the number to the entry, for all levels of an entry
//   bool alone(Upid)                       nobody else has this number there
//   void withdraw(Upid)                    takes back one insertion
//   template each_number(EntryId, visit)   visit(Upid) for what was noted, innermost first
//   void forget(EntryId)                   undoes all notes
#pragma once

#include "pidns/model/table.h"

namespace ctr::pidns {

template <class Model, class Numbers>
class Levels : public Table<Model, Numbers> {
    using Base = Table<Model, Numbers>;

  public:
    using Base::host_of;

    HostPid host_of(NamespaceId space, VirtPid number) const {
        return this->host_of(model().find(space, number));
    }
    VirtPid number_of(HostPid host, NamespaceId space) const {
        return model().number_in(this->entry_of(host), space);
    }

  protected:
    using Base::Base;

  private:
    friend Base;

    Model& model() { return static_cast<Model&>(*this); }
    const Model& model() const { return static_cast<const Model&>(*this); }

    // From the inside outward, as the kernel: so is what an init that fails on an outer level gives back.
    bool claim_numbers(EntryId id, NamespaceId space) {
        for (unsigned level = 0; level < max_level && space != NamespaceId::none; ++level) {
            if (!claim_number(id, space)) {
                drop_numbers(id, true);
                return false;
            }
            space = this->namespaces().parent_of(space);
        }
        return true;
    }

    bool claim_number(EntryId id, NamespaceId space) {
        const uint32_t depth = this->namespaces().depth_of(space);
        for (unsigned tries = 0; tries < ticket_tries; ++tries) {
            const VirtPid next =
                this->namespaces().next_number(space, [&](VirtPid n) { return model().has(space, n); });
            if (next == VirtPid::none) return false;
            const Upid upid(space, next, id);
            model().note(id, upid, depth);
            if (!model().insert(upid)) return false;
            // Only somebody who got the same number when the cursor was here last and has slept since can be
            // here.
            if (model().alone(upid)) return true;
            model().withdraw(upid);
        }
        return false;
    }

    void drop_numbers(EntryId id, bool unseen) {
        model().each_number(id, [&](Upid upid) {
            model().remove(upid);
            if (unseen) this->namespaces().give_back(upid.space(), upid.number());
        });
        model().forget(id);
    }

    Upid index_word(EntryId id) const { return Upid(HostPid::none, id); }
    void announce(EntryId, HostPid) {}
};

}  // namespace ctr::pidns
