// The seccomp notification descriptors: calls of the workload that wait for the monitor's word. There is one
// for the filter of init, which its descendants inherit, and one for each process that was put into the
// container later, with its.
#pragma once

#include <linux/seccomp.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "pidns/surface/mark.h"
#include "runtime/base/fd.h"
#include "runtime/base/ids.h"

namespace ctr::pidns {

// One call that trapped. The thread sleeps until it is answered (or killed).
struct Trap {
    // Not a trap: the thread stands before the call, stopped by its tracer (monitor/debugging.cpp). Can't be
    // answered.
    static constexpr uint64_t stands = 0;

    uint64_t id = 0;
    int listener = -1;
    HostPid thread = HostPid::none;
    uint32_t arch = 0;  // AUDIT_ARCH_*
    long number = 0;
    uint64_t arguments[6] = {};
    uint64_t instruction = 0;  // behind the one that made the call

    // Made by the layer's own code inside the workload (surface/mark.h).
    bool asked() const { return arguments[5] == pidns::asked_mark; }
};

class Listener {
  public:
    Listener() = default;
    explicit Listener(Fd fd) { add(std::move(fd)); }

    // Takes the descriptor; asks the kernel to wake this side on the waker's CPU where it can (Linux 6.6).
    void add(Fd fd);
    void drop(int fd);  // all its processes are gone
    const std::vector<Fd>& all() const { return fds_; }

    // Blocks until a call traps; nothing when the trap vanished in between (the caller was killed).
    static std::optional<Trap> receive(int fd);

    // Still waiting? Says that what was opened or read by the thread's number in between belongs to it.
    bool valid(const Trap& trap) const;

    // The call returns value (negative: an error) without being made. False: the thread is gone.
    bool answer(const Trap& trap, long value) const;

    // Puts a descriptor of ours into the thread's process, at the lowest free number or at a certain one.
    // Nothing: the thread is gone, or has no room (errno).
    std::optional<int> place(const Trap& trap, int fd, bool close_on_exec, std::optional<int> at = {}) const;

    // The call is made as it stands, and what it returns may concern us.
    bool proceed(const Trap& trap) const;

    // The call concerns no number: it is made as it stands, with the mark if it comes from code of the layer.
    bool pass(const Trap& trap) const { return trap.asked() ? answer(trap, do_it_yourself) : proceed(trap); }

  private:
    bool send(const Trap& trap, long value, int error, uint32_t flags) const;

    std::vector<Fd> fds_;
};

}  // namespace ctr::pidns
