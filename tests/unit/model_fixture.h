// What the tests of the numbering models share: a mapping, the three models as types, a world in which
// processes exist or not, and the audit of a whole table.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "pidns/model/collector.h"
#include "pidns/model/flat_numbering.h"
#include "pidns/model/hash_numbering.h"
#include "pidns/model/list_numbering.h"

namespace ctr::pidns {

using AllModels = ::testing::Types<FlatNumbering, HashNumbering, ListNumbering>;

template <class M>
constexpr bool is_flat = std::is_same_v<M, FlatNumbering>;

struct ModelName {
    template <class M>
    static std::string GetName(int) {
        if constexpr (is_flat<M>) return "flat";
        return std::is_same_v<M, HashNumbering> ? "hash" : "list";
    }
};

// Zeroed memory shared with all children.
class SharedMemory {
  public:
    explicit SharedMemory(std::size_t bytes)
        : bytes_(bytes),
          memory_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                       0)) {
        if (memory_ == MAP_FAILED) throw std::bad_alloc();
    }
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;
    ~SharedMemory() { munmap(memory_, bytes_); }

    void* get() const { return memory_; }
    std::size_t size() const { return bytes_; }

  private:
    std::size_t bytes_;
    void* memory_;
};

template <class M>
Upid as_slot(Upid upid) {
    if constexpr (std::is_same_v<M, ListNumbering>)
        return Upid(NamespaceId::none, upid.number(), upid.entry());
    return upid;
}

// Everything that is wrong with a table at rest; empty if nothing is. Claims are legal.
template <class M>
std::string audit(const M& model) {
    std::ostringstream faults;
    std::map<std::pair<uint32_t, int>, uint32_t> bearers;  // by namespace and number
    std::map<int, uint32_t> processes;                     // by host number
    std::set<uint64_t> expected;
    std::set<uint64_t> required;  // those of published entries
    std::set<uint32_t> spaces;
    model.each_namespace([&](NamespaceId space) { spaces.insert(raw(space)); });

    model.each_entry([&](EntryId id, Word word) {
        const HostPid host = model.host_of(id);
        if (!spaces.contains(raw(model.namespace_of(id))))
            faults << "entry " << raw(id) << " in no namespace\n";
        if (word.is(State::live)) {
            if (model.entry_of(host) != id)
                faults << "live entry " << raw(id) << " not found by its host number\n";
            if (!processes.emplace(raw(host), raw(id)).second)
                faults << "host " << raw(host) << " has two entries\n";
        }
        unsigned numbers = 0;
        model.each_number(id, [&](Upid upid) {
            ++numbers;
            expected.insert(as_slot<M>(upid).bits());
            if (word.published()) required.insert(as_slot<M>(upid).bits());
            if (!bearers.emplace(std::pair(raw(upid.space()), raw(upid.number())), raw(id)).second)
                faults << "number " << raw(upid.number()) << " twice in namespace " << raw(upid.space())
                       << "\n";
            if (model.number_in(id, upid.space()) != upid.number())
                faults << "number_in of " << raw(id) << "\n";
            if (word.published() != (model.find(upid.space(), upid.number()) == id))
                faults << "find of entry " << raw(id) << "\n";
            if (!word.is(State::live)) return;
            if (model.host_of(upid.space(), upid.number()) != host)
                faults << "host_of entry " << raw(id) << "\n";
            if (model.number_of(host, upid.space()) != upid.number())
                faults << "number_of entry " << raw(id) << "\n";
        });
        if (numbers == 0 && word.published()) faults << "entry " << raw(id) << " without a number\n";
    });

    for (uint32_t n = 1; n < model.limits().host_numbers; ++n)
        if (const auto host = HostPid(static_cast<int>(n)); model.entry_of(host) == EntryId::none)
            for (const uint32_t space : spaces)
                if (model.number_of(host, NamespaceId(space)) != VirtPid::none)
                    faults << "host " << n << " has a number and no entry\n";

    std::set<uint64_t> found;
    model.each_slot([&](Upid slot) {
        if (!found.insert(slot.bits()).second)
            faults << "number " << raw(slot.number()) << " twice in the table\n";
        if (!expected.contains(slot.bits()))
            faults << "number " << raw(slot.number()) << " of namespace " << raw(slot.space())
                   << " leads to entry " << raw(slot.entry()) << ", which doesn't have it\n";
    });
    // A claim may have noted a number that it hadn't taken yet when its maker was killed.
    for (const uint64_t number : required)
        if (!found.contains(number)) faults << "a number leads nowhere\n";
    return faults.str();
}

template <class M>
unsigned entries_in_use(const M& model) {
    unsigned count = 0;
    model.each_entry([&](EntryId, Word) { ++count; });
    return count;
}

template <class M>
unsigned namespaces_in_use(const M& model) {
    unsigned count = 0;
    model.each_namespace([&](NamespaceId) { ++count; });
    return count;
}

// A model with its memory, and processes that exist because a test says so.
template <class M>
class World {
  public:
    explicit World(const Limits& limits) : memory_(M::bytes(limits)), model_(memory_.get(), limits) {}

    M& model() { return model_; }
    M* operator->() { return &model_; }
    const SharedMemory& memory() const { return memory_; }

    void birth(int host) { alive_.insert(host); }
    void death(int host) { alive_.erase(host); }
    bool exists(int host) const { return alive_.contains(host); }

    // A new process in a group and session of its own, made by process 1 of the host.
    EntryId spawn(NamespaceId space, int host) {
        birth(1);
        const EntryId id = model_.allocate(space, HostPid(1));
        if (id == EntryId::none) return id;
        birth(host);
        return model_.publish(id, HostPid(host), id, id);
    }

    // The process is gone, and whoever waited for it said so.
    void reap(EntryId id) {
        death(raw(model_.host_of(id)));
        model_.release(id);
    }

    auto collect(unsigned passes = 2) {
        auto exists = [this](HostPid host) { return alive_.contains(raw(host)); };
        Collector collector(model_, exists);
        auto census = collector.collect();
        for (unsigned i = 1; i < passes; ++i) {
            const auto next = collector.collect();
            census = {next.claimed, next.live, next.dead, census.ended + next.ended,
                      census.freed + next.freed};
        }
        return census;
    }

    int number(EntryId id, NamespaceId space = NamespaceId::root) { return raw(model_.number_in(id, space)); }

  private:
    SharedMemory memory_;
    M model_;
    std::set<int> alive_;
};

}  // namespace ctr::pidns
