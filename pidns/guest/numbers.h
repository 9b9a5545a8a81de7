// The container's numbers as the guest code sees them: the mapping of the numbers file (model/file.h), and
// where in it the calling process stands. Freestanding.
//
// The mapping has a fixed place in every process, far from where the kernel puts anything by itself. Whether
// it is there is kept in the thread's GS base, a register that programs on x86-64 leave alone and the kernel
// hands on to threads and children and clears at exec: no page of the program is written for it. A thread
// whose GS base is something else is served by the monitor. What decides where the guest code reads and
// writes comes from that register and from the kernel, never from the mapping, which every process of the
// container can scribble over.
#pragma once

#include <optional>

#include "pidns/guest/kernel.h"
#include "pidns/model/file.h"

namespace ctr::pidns::guest {

class Mapping {
  public:
    // The thread has a seccomp filter of its own, which may kill it for calls that its program doesn't make:
    // the guest makes none of its own any more.
    static bool is_quiet() {
        const uint64_t base = gs_base();
        return base == quiet || (is_ours(base) && base != no_layer && is_closed());
    }
    static bool has_no_layer() { return gs_base() == no_layer; }

    // Before a filter is installed, and if that fails. Children, and threads that are made later, inherit it.
    static void be_quiet();
    static void be_loud();

    // The same in all threads of the process, for good: a page of zeroes takes the place of the mapping's
    // first.
    static void be_quiet_everywhere();

    // The same in a process that has no other thread, and nothing is left of the mapping but that page.
    static void leave();

    // Attaches first, if need be (a few microseconds). Nothing: there is none to be had.
    static std::optional<Mapping> get() {
        const uint64_t base = gs_base();
        if (is_ours(base))
            return base == no_layer || base == quiet || is_closed() ? std::nullopt
                                                                    : std::optional(Mapping(base));
        if (base != 0) return {};
        return attach();
    }

    // Where the monitor knows of no procfs but such as have "proc" in the names of their places. False if
    // that can't be known: attaches first, or is_known asks only if that has been done.
    static bool procfs_is_in_its_place() { return get() && !is_procfs_elsewhere(); }
    static bool procfs_is_known_in_its_place() {
        const uint64_t base = gs_base();
        return is_ours(base) && base != no_layer && base != quiet && !is_closed() && !is_procfs_elsewhere();
    }

    // Inline, so that all of the limits but one are constants where they are used.
    [[gnu::always_inline]] Limits limits() const { return limits_for(1U << (word_ >> log_shift & log_mask)); }
    Attention attention() const { return {memory() + file_header_bytes, limits()}; }

    template <class Action>
    auto with(Action action) const {
        return with_type_of(model(), [&]<class M>(std::type_identity<M>) {
            M view(memory() + model_offset(limits()), limits());
            return action(view);
        });
    }

  private:
    static constexpr uint64_t place = 0x6d61'0000'0000;
    static constexpr uint64_t low_bits = 0xfff;
    // Bit 0 is set, so that no aligned pointer of a program's own passes for it.
    static constexpr uint64_t tag_mask = 0xf01, tag = 0x601;
    static constexpr unsigned model_shift = 1, log_shift = 3;
    static constexpr uint64_t no_layer = place | tag;  // no model has the value 0
    static constexpr uint64_t quiet = place | tag | 1U << log_shift;
    static constexpr uint64_t model_mask = 3, log_mask = 31;

    explicit Mapping(uint64_t word) : word_(word) {}

    Model model() const { return static_cast<Model>(word_ >> model_shift & model_mask); }
    static std::byte* memory() { return reinterpret_cast<std::byte*>(place); }

    static uint64_t gs_base() {
        uint64_t base = 0;
        __asm__ volatile("rdgsbase %0" : "=r"(base));
        return base;
    }
    static bool is_ours(uint64_t base) { return (base & ~low_bits) == place && (base & tag_mask) == tag; }
    static const FileHeader* header() { return reinterpret_cast<const FileHeader*>(place); }
    static bool is_closed() { return __atomic_load_n(&header()->version, __ATOMIC_RELAXED) == 0; }
    static bool is_procfs_elsewhere() {
        return __atomic_load_n(&header()->procfs_elsewhere, __ATOMIC_RELAXED) != 0;
    }
    static std::optional<Mapping> attach();

    uint64_t word_;
};

// The caller, found in the numbers.
struct Self {
    Mapping mapping;
    HostPid host;
    NamespaceId space;

    // Nothing: its calls are the monitor's, because there is no mapping, nobody has registered it yet, or the
    // monitor wants to see them.
    static std::optional<Self> find();

    // The same for a call that has been made: the monitor's wishes come too late.
    static std::optional<Self> find_again();

    // ... by a caller that has found itself before the call.
    static std::optional<Self> find_again(HostPid known);

    VirtPid number_of(HostPid other) const;
    HostPid host_of(int number) const;
    // Positive numbers of the host; 0: it can't be seen.
    int outward(int64_t other) const { return raw(number_of(HostPid(static_cast<int>(other)))); }

    // The monitor translates the signals that this process gets.
    bool is_held() const {
        return mapping.attention().wanted(host, Attention::handlers | Attention::debugging);
    }
};

}  // namespace ctr::pidns::guest
