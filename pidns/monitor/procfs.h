// What the host's /proc says about one process: the few facts for which there is no system call.
// All numbers are the host's. A process that is gone reads as none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/ids.h"

namespace ctr::pidns {

// "/proc/4711/NAME".
std::string proc_file(HostPid process, std::string_view name);

// The text of a symbolic link of the host's own /proc; empty if it can't be read.
std::string link_text(const std::string& path);

// The process that a thread belongs to.
HostPid process_of_thread(HostPid thread);

HostPid parent_of(HostPid process);

// The thread that traces it; none.
HostPid tracer_of(HostPid thread);

// The process's threads right now; none of a process that is gone.
std::vector<HostPid> threads_of(HostPid process);

// It has ended, whether reaped or not.
bool has_ended(HostPid process);

// Whether a thread has a capability (CAP_*) in effect, in its own user namespace.
bool has_capability(HostPid thread, int capability);

// Says which user namespace a thread is in.
std::string user_namespace_of(HostPid thread);

// Whose a thread is: the real user, as this process knows it. And who that is whom a thread calls so in its
// own user namespace. Nothing: there is none.
std::optional<unsigned> user_of(HostPid thread);
std::optional<unsigned> user_meant_by(HostPid thread, unsigned user);

// Whether a process is below another in the tree of parents.
bool descends_from(HostPid process, HostPid ancestor);

// Whether a process may signal another: same user, or CAP_KILL (check_kill_permission() of kernel/signal.c).
bool may_signal(HostPid sender, HostPid target);

// Whether a thread may read what the kernel shows only to who may trace a process: same user and no fewer
// capabilities in the same user namespace, or CAP_SYS_PTRACE.
bool may_inspect(HostPid reader, HostPid target);

// Whether the monitor itself may look into it still when it isn't dumpable: that takes CAP_SYS_PTRACE in its
// user namespace, which the owner of one has from outside.
bool may_open_closed(HostPid target);

// When a process was born, in clock ticks since boot: with its number it says which process is meant. Empty:
// there is none.
std::string birth_of(HostPid process);

// Signal sets as in /proc/PID/status: bit n-1 stands for signal n.
struct SignalSets {
    uint64_t blocked = 0;  // of the main thread
    uint64_t ignored = 0;
    uint64_t caught = 0;
};
std::optional<SignalSets> signal_sets(HostPid process);

// The address of the set of signals that a thread is waiting for in rt_sigtimedwait. While it waits the
// kernel keeps them out of the blocked ones.
std::optional<uint64_t> awaited_set(HostPid thread);

}  // namespace ctr::pidns
