// The numbers of one container, as its monitor keeps them: the table, and when a number ends.
//
// An entry is *stale* when its process was reaped unseen: by the kernel because its parent ignores SIGCHLD,
// or when a parent outside the layer's sight took it. A stale entry is harmless while the host doesn't use
// the number again, which takes the kernel a round through all its numbers (at least 32 768 forks, more than
// a second); so a sweep that is never older than sweep_interval before a number is translated keeps every
// answer right without looking at the process each time. A host number that is registered again drops its old
// entry at once.
#pragma once

#include <chrono>
#include <memory>

#include "pidns/model/flat.h"
#include "runtime/base/error.h"
#include "runtime/base/ids.h"

namespace ctr::pidns {

class Numbers {
  public:
    static constexpr std::chrono::milliseconds sweep_interval{250};

    // Maps an empty table for this host's range of numbers. pid_limit: as kernel.pid_max for the container.
    static Result<Numbers> create(uint32_t pid_limit = 32768);

    Numbers(Numbers&&) noexcept = default;
    Numbers& operator=(Numbers&&) = delete;
    ~Numbers() = default;

    // The container's first process becomes 1, leader of its group and session.
    void register_init(HostPid host);

    // A number for a process that is about to be created; none: all are in use (EAGAIN).
    VirtPid reserve() { return table_.allocate(); }
    void give_back(VirtPid number) { table_.cancel(number); }

    // The process exists now, in the group and session of its creator.
    void register_child(VirtPid number, HostPid host, HostPid creator);

    // A process of the container that nobody registered (its creator bypassed the layer): takes the next
    // number.
    VirtPid adopt(HostPid host);

    VirtPid number_of(HostPid host) const { return table_.number_of(host); }
    HostPid host_of(VirtPid number) const { return table_.host_of(number); }

    // A wait has just reported this process: its number ends if that reaped it.
    void reported(HostPid host);

    // Reads the kernel's group and session of a process again, after it changed them.
    void refresh(HostPid host);

    // Called before each translation; sweeps when the last sweep is older than the interval.
    void collect_stale();

    // Calls visit(HostPid) for every process of the container.
    template <class Visitor>
    void each_process(Visitor visit) const {
        table_.each_process([&](VirtPid number) { visit(table_.host_of(number)); });
    }

  private:
    struct Unmap {
        std::size_t bytes;
        void operator()(void* memory) const;
    };
    using Mapping = std::unique_ptr<void, Unmap>;

    Numbers(Mapping mapping, FlatTable::Limits limits);
    void drop_stale(HostPid host);
    void sweep();

    Mapping mapping_;
    FlatTable table_;
    std::chrono::steady_clock::time_point swept_;
};

}  // namespace ctr::pidns
