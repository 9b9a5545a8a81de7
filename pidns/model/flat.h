// Flat numbering: exactly two numbers for a process, the host's and the container's own (the OpenVZ view).
//
// The model is the kernel's struct pid (kernel/pid.c): a number is *allocated*, then *published*; it is used
// by its process, by the process group and by the session that bear it, and it is free again when nobody uses
// it any more. The host's kernel keeps its own number for exactly as long, so a pair (host, virtual) never
// outlives either side.
//
// A view of memory that somebody else owns (an array for each direction, both found with one access), so that
// the same code serves the monitor and, mapped, the code inside workloads. Freestanding: no allocation, no
// I/O, no locks.
//
// Threads: one writer, any number of readers. A reader sees a number only after everything about it was
// written: the entry's host number is stored with release order after its other fields, and read with acquire
// order. Every index that is read from the memory is checked against bounds kept outside of it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/base/ids.h"

namespace ctr::pidns {

class FlatTable {
  public:
    // Virtual numbers run from 1 to virt_limit - 1, host numbers from 1 to host_limit - 1.
    struct Limits {
        uint32_t virt_limit;
        uint32_t host_limit;
    };

    static std::size_t bytes(Limits limits);

    // memory: bytes(limits) of zeroed memory, aligned to 8, which outlives the table.
    FlatTable(void* memory, Limits limits);

    // The next free number, cyclically, as the kernel hands them out: after the first round the numbers below
    // 300 are left to early starters. none: all numbers are in use. A number that was allocated has one use,
    // its process.
    VirtPid allocate();

    // Gives back a number that was never published.
    void cancel(VirtPid number);

    // Makes number <-> host known. group and session: numbers in use, or the number itself.
    void publish(VirtPid number, HostPid host, VirtPid group, VirtPid session);

    VirtPid number_of(HostPid host) const;
    HostPid host_of(VirtPid number) const;

    // Of a published number whose process exists.
    VirtPid group_of(VirtPid number) const;
    VirtPid session_of(VirtPid number) const;
    bool is_process(VirtPid number) const;

    void set_group(VirtPid number, VirtPid group);
    void set_session(VirtPid number, VirtPid session);

    // The process was reaped: the number stays while a group or a session uses it. Idempotent.
    void release(VirtPid number);

    uint32_t limit() const { return limits_.virt_limit; }

    // Calls visit(VirtPid) for every process; the visitor may release it.
    template <class Visitor>
    void each_process(Visitor visit) const {
        const uint32_t top = top_->load(std::memory_order_relaxed);
        for (uint32_t n = 1; n < top && n < limits_.virt_limit; ++n)
            if (entries_[n].process.load(std::memory_order_relaxed)) visit(VirtPid(n));
    }

  private:
    struct Entry {
        std::atomic<uint32_t> host;     // 0: not published
        std::atomic<uint32_t> group;    // while there is a process
        std::atomic<uint32_t> session;  // while there is a process
        std::atomic<uint32_t> uses;     // the process + the members of its group + of its session; 0: free
        std::atomic<uint32_t> process;  // 1 from publish to release
    };
    static_assert(std::atomic<uint32_t>::is_always_lock_free);

    bool valid(VirtPid number) const {
        return raw(number) > 0 && static_cast<uint32_t>(raw(number)) < limits_.virt_limit;
    }
    Entry& entry(VirtPid number) const { return entries_[raw(number)]; }
    void use(VirtPid number);
    void unuse(VirtPid number);

    Limits limits_;
    std::atomic<uint32_t>* cursor_;  // where the search for a free number starts
    std::atomic<uint32_t>*
        top_;  // above the highest number ever allocated: what lies beyond was never touched
    std::atomic<uint32_t>* index_;  // virtual number by host number
    Entry* entries_;                // by virtual number
};

}  // namespace ctr::pidns
