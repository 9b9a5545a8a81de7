// The numbering models as plain maps: what they have to say after any history. Written to be obviously right;
// frees at once what the models free by collection, when told to.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "pidns/model/numbering.h"

namespace ctr::pidns {

class Reference {
  public:
    enum class Life { claimed, live, dead };
    struct Entry {
        Life life = Life::claimed;
        int owner = 0;
        int host = 0;
        uint32_t space = 0;
        EntryId group = EntryId::none;
        EntryId session = EntryId::none;
        std::map<uint32_t, int> numbers;  // by namespace
        int birth = 0;
    };
    struct Space {
        uint32_t parent = 0;
        unsigned level = 1;
        int holder = 0;
        int last = 0;
        std::map<int, EntryId> taken;
    };

    Reference(const Limits& limits, bool flat) : limits_(limits), flat_(flat) { spaces[1] = Space(); }

    std::map<EntryId, Entry> entries;
    std::map<uint32_t, Space> spaces;
    std::set<int> alive;

    bool can_create(uint32_t parent) const {
        return spaces.contains(parent) && spaces.at(parent).level < max_level &&
               spaces.size() + 1 < limits_.namespaces;
    }

    void create(uint32_t id, uint32_t parent, int holder) {
        spaces[id] = {
            .parent = parent, .level = spaces.at(parent).level + 1, .holder = holder, .last = 0, .taken = {}};
    }

    // The numbers an entry made now gets. Nothing: they have run out somewhere, and those taken before are
    // given back.
    std::optional<std::map<uint32_t, int>> next_numbers(uint32_t space, int owner) {
        if (!spaces.contains(space) || entries.size() + 1 >= limits_.entries) return std::nullopt;
        std::map<uint32_t, int> numbers;
        for (uint32_t at = space; at != 0; at = spaces.at(at).parent) {
            const int number = next_number(spaces.at(at));
            if (number == 0) {
                for (const auto& [taken_in, taken] : numbers) spaces.at(taken_in).last = taken - 1;
                return std::nullopt;
            }
            numbers[at] = number;
            // One number, and one outside for an init and for whoever is made from there.
            if (flat_ && (at != space || (number != 1 && !lives_in(owner, spaces.at(at).parent)))) break;
        }
        return numbers;
    }

    bool lives_in(int host, uint32_t space) const {
        const EntryId id = bearer(host);
        return id != EntryId::none && entries.at(id).space == space;
    }

    void allocate(EntryId id, uint32_t space, int owner, const std::map<uint32_t, int>& numbers) {
        entries[id] = {.life = Life::claimed,
                       .owner = owner,
                       .host = 0,
                       .space = space,
                       .group = {},
                       .session = {},
                       .numbers = numbers,
                       .birth = ++births_};
        for (const auto& [at, number] : numbers) {
            spaces[at].taken[number] = id;
            spaces[at].last = number;
        }
    }

    void cancel(EntryId id) {
        for (const auto& [at, number] : entries.at(id).numbers)
            if (spaces.at(at).last == number) spaces.at(at).last = number - 1;
        drop(id);
    }

    EntryId bearer(int host) const {
        for (const auto& [id, entry] : entries)
            if (entry.life == Life::live && entry.host == host) return id;
        return EntryId::none;
    }

    EntryId publish(EntryId id, int host, EntryId group, EntryId session) {
        Entry& e = entries.at(id);
        const EntryId old = bearer(host);
        if (old != EntryId::none && e.owner == host) {
            cancel(id);
            return old;
        }
        // Adopted later than it was promised, ended, and waited for.
        for (const auto& [other, entry] : entries)
            if (entry.host == host && entry.life == Life::dead && !hidden.contains(other) &&
                e.owner != host && entry.owner == host && entry.birth > e.birth) {
                cancel(id);
                return other;
            }
        if (old != EntryId::none) entries.at(old).life = Life::dead;
        for (auto& [other, entry] : entries)  // the index knows one entry for a host number
            if (entry.host == host && entry.life == Life::dead) hidden.insert(other);
        e.life = Life::live;
        e.host = host;
        e.group = group;
        e.session = session;
        return id;
    }

    void release(EntryId id) { entries.at(id).life = Life::dead; }

    void collect() {
        std::vector<EntryId> gone;
        for (auto& [id, e] : entries) {
            if (e.life == Life::claimed && !alive.contains(e.owner)) gone.push_back(id);
            if (e.life == Life::live && !alive.contains(e.host)) e.life = Life::dead;
        }
        std::set<EntryId> used;
        for (const auto& [id, e] : entries)
            if (e.life == Life::live) used.insert({e.group, e.session});
        for (const auto& [id, e] : entries)
            if (e.life == Life::dead && !used.contains(id)) gone.push_back(id);
        for (const EntryId id : gone) drop(id);
        while (drop_one_namespace()) {
        }
    }

    std::set<EntryId> hidden;  // dead entries whose host number belongs to another entry now

  private:
    int births_ = 0;

    int next_number(const Space& space) const {
        const int end = static_cast<int>(limits_.numbers);
        const int start = space.last + 1;
        for (int n = start; n < end; ++n)
            if (!space.taken.contains(n)) return n;
        for (int n = start > 300 && end > 300 ? 300 : 1; n < start; ++n)
            if (!space.taken.contains(n)) return n;
        return 0;
    }

    void drop(EntryId id) {
        for (const auto& [at, number] : entries.at(id).numbers) spaces.at(at).taken.erase(number);
        entries.erase(id);
        hidden.erase(id);
    }

    bool drop_one_namespace() {
        std::set<uint32_t> used{1};
        for (const auto& [id, e] : entries) used.insert(e.space);
        for (const auto& [id, space] : spaces) used.insert(space.parent);
        for (const auto& [id, space] : spaces) {
            if (used.contains(id) || (space.last == 0 && alive.contains(space.holder))) continue;
            spaces.erase(id);
            return true;
        }
        return false;
    }

    Limits limits_;
    bool flat_;
};

}  // namespace ctr::pidns
