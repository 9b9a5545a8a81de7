// One hostile history: operations on a model in an order that the input says, between overwritings of its
// memory with what the input says. Whatever the input, it ends, stays within the mapping, and returns what is
// within the limits.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#include "pidns/model/collector.h"
#include "pidns/model/flat_numbering.h"
#include "pidns/model/hash_numbering.h"
#include "pidns/model/list_numbering.h"

namespace ctr::pidns {

// Zeroed memory of exactly that size in front of a page that cannot be touched, behind another.
class GuardedMemory {
  public:
    explicit GuardedMemory(std::size_t bytes)
        : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
          usable_((bytes + page_ - 1) / page_ * page_),
          bytes_(bytes),
          start_(static_cast<char*>(
              mmap(nullptr, usable_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
        if (start_ == MAP_FAILED) throw std::bad_alloc();
        if (mprotect(start_ + page_, usable_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    }
    GuardedMemory(const GuardedMemory&) = delete;
    GuardedMemory& operator=(const GuardedMemory&) = delete;
    ~GuardedMemory() { munmap(start_, usable_ + 2 * page_); }

    void* get() const { return start_ + page_ + (usable_ - bytes_); }
    std::size_t words() const { return bytes_ / sizeof(uint64_t); }

    // Atomic: others may be using the model meanwhile.
    std::atomic<uint64_t>& word(std::size_t i) const {
        return static_cast<std::atomic<uint64_t>*>(get())[i % words()];
    }

  private:
    std::size_t page_;
    std::size_t usable_;
    std::size_t bytes_;
    char* start_;
};

// Next(): uint32_t. Fails by abort(), which both fuzzers and tests see.
template <class M, class Next>
class HostileHistory {
  public:
    HostileHistory(M& model, const GuardedMemory& memory, Next next)
        : model_(model), memory_(memory), next_(next) {}

    void operate() {
        const auto id = EntryId(small());
        const auto other = EntryId(small());
        const auto space = NamespaceId(small());
        const auto host = HostPid(static_cast<int>(small()));
        const auto number = VirtPid(static_cast<int>(small()));
        switch (next_() % 16) {
            case 0: return check(model_.create_namespace(space, host));
            case 1: return check(model_.parent_of(space)), require(model_.level_of(space) <= max_level);
            case 2: return check(model_.allocate(space, host));
            case 3: return model_.cancel(id);
            case 4: return check(model_.publish(id, host, other, id));
            case 5: return check(model_.entry_of(host));
            case 6: return check(model_.find(space, number));
            case 7: return check(model_.host_of(id)), check(model_.namespace_of(id));
            case 8: return check(model_.number_in(id, space));
            case 9: return check(model_.number_of(host, space));
            case 10: return check(model_.host_of(space, number));
            case 11: return void(model_.set_group(id, other));
            case 12: return void(model_.set_session(id, other));
            case 13: return check(model_.group_of(id)), check(model_.session_of(id));
            case 14: return model_.release(id);
            default: return collect();
        }
    }

    // A word becomes zero, all ones, noise, another word, or almost what it was.
    void scribble() {
        std::atomic<uint64_t>& word = memory_.word(place());
        const uint64_t now = word.load(std::memory_order_relaxed);
        const uint64_t noise = uint64_t{next_()} << 32 | next_();
        const uint64_t others = memory_.word(place()).load(std::memory_order_relaxed);
        const uint64_t choices[] = {0,       ~uint64_t{0}, noise, others, now ^ uint64_t{1} << noise % 64,
                                    now + 1, now - 1};
        word.store(choices[next_() % (sizeof choices / sizeof *choices)], std::memory_order_relaxed);
    }

    void collect() {
        Collector collector(model_, [](HostPid host) { return raw(host) % 3 != 0; });
        const auto census = collector.collect();
        require(census.live < model_.limits().entries && census.claimed < model_.limits().entries);
    }

  private:
    // Mostly in range, and then often one of few.
    uint32_t small() {
        const uint32_t value = next_();
        if (value % 64 == 0) return value;
        return value % 4 == 0 ? value / 64 % 128 : value / 64 % 12;
    }

    // Most of the memory is empty: half of all blows go to its first part, where the counters and namespaces
    // are.
    std::size_t place() {
        const uint32_t value = next_();
        return value % 2 == 0 ? value / 2 % 256 : value / 2;
    }

    static void require(bool right) {
        if (!right) std::abort();
    }
    void check(EntryId id) const { require(raw(id) < model_.limits().entries); }
    void check(NamespaceId id) const { require(raw(id) < model_.limits().namespaces); }
    void check(HostPid host) const {
        require(raw(host) >= 0 && static_cast<uint32_t>(raw(host)) < model_.limits().host_numbers);
    }
    void check(VirtPid number) const {
        require(raw(number) >= 0 && static_cast<uint32_t>(raw(number)) < model_.limits().numbers);
    }

    M& model_;
    const GuardedMemory& memory_;
    Next next_;
};

// No power of two, so that masks can't stand in for checks.
inline constexpr Limits hostile_limits{.numbers = 100, .host_numbers = 101, .entries = 60, .namespaces = 11};

}  // namespace ctr::pidns
