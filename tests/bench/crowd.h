// Tables full of live processes, to be looked up in: in the cache, or not.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <random>
#include <utility>
#include <vector>

#include "pidns/model/collector.h"
#include "pidns/model/flat_numbering.h"
#include "pidns/model/hash_numbering.h"
#include "pidns/model/list_numbering.h"

namespace ctr::bench {

class Mapping {
  public:
    explicit Mapping(std::size_t bytes)
        : bytes_(bytes),
          memory_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                       0)) {
        if (memory_ == MAP_FAILED) throw std::bad_alloc();
    }
    Mapping(Mapping&& other) noexcept
        : bytes_(other.bytes_), memory_(std::exchange(other.memory_, nullptr)) {}
    Mapping& operator=(Mapping&&) = delete;
    ~Mapping() {
        if (memory_) munmap(memory_, bytes_);
    }
    void* get() const { return memory_; }

  private:
    std::size_t bytes_;
    void* memory_;
};

inline void must(bool right) {
    if (!right) std::abort();
}

// One table: a chain of namespaces, and processes in the innermost one whose host numbers follow each other,
// as forks give them.
template <class M>
class Crowd {
  public:
    static constexpr int first_host = 2000;

    Crowd(unsigned depth, int live) : mapping_(M::bytes(limits(live))), model_(mapping_.get(), limits(live)) {
        using namespace pidns;
        for (unsigned level = 1; level <= depth; ++level) {
            const EntryId init = model_.allocate(space_, HostPid(1));
            must(model_.publish(init, HostPid(1 + static_cast<int>(level)), init, init) == init);
            if (level < depth) space_ = model_.create_namespace(space_, HostPid(1));
            must(space_ != NamespaceId::none);
        }
        for (int i = 0; i < live; ++i) {
            const EntryId id = model_.allocate(space_, HostPid(1));
            must(model_.publish(id, HostPid(first_host + i), id, id) == id);
            must(model_.number_in(id, space_) == number(i));
        }
    }

    M& model() { return model_; }
    pidns::NamespaceId innermost() const { return space_; }
    HostPid host(int i) const { return HostPid(first_host + i); }
    VirtPid number(int i) const { return VirtPid(2 + i); }  // behind the init

  private:
    // As a container gets by default; the numbers for a crowd of 30 000 and those that come and go beside it.
    static pidns::Limits limits(int live) {
        const uint32_t room = live > 10'000 ? 1U << 16 : 1U << 15;
        return {.numbers = room, .host_numbers = 1U << 17, .entries = room, .namespaces = 64};
    }

    Mapping mapping_;
    M model_;
    pidns::NamespaceId space_ = pidns::NamespaceId::root;
};

// The same as one array over the host's whole range of numbers: what nothing can beat.
class ArrayCrowd {
  public:
    static constexpr int first_host = 2000;
    static constexpr int range = 1 << 22;

    ArrayCrowd(unsigned, int live) : mapping_(range * sizeof(uint64_t)) {
        for (int i = 0; i < live; ++i) words()[first_host + i] = static_cast<uint64_t>(i) + 1;
    }
    uint64_t at(int i) const {
        const int host = first_host + i;
        return host > 0 && host < range ? words()[host] : 0;
    }

  private:
    uint64_t* words() const { return static_cast<uint64_t*>(mapping_.get()); }

    Mapping mapping_;
};

// Pushes everything out of the caches, twice the last level's size, and out of the TLB.
class Eviction {
  public:
    Eviction() : words_(std::size_t{64} << 20 >> 3, 1) {}
    uint64_t operator()() const {
        uint64_t sum = 0;
        for (std::size_t i = 0; i < words_.size(); i += 8) sum += words_[i];
        return sum;
    }

  private:
    std::vector<uint64_t> words_;
};

inline std::vector<int> permutation(int count) {
    std::vector<int> order(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) order[static_cast<std::size_t>(i)] = i;
    std::shuffle(order.begin(), order.end(), std::mt19937(42));
    return order;
}

}  // namespace ctr::bench
