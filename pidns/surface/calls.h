// The pid surface as data: one row for every system call through which the kernel hands a process number to a
// program or takes one from it, saying which argument or memory carries which kind of number in which
// direction. The seccomp filter is generated from these rows and the monitor is driven by them. Freestanding.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ctr::pidns {

// What an argument, result or memory field means.
enum class Kind : uint8_t {
    none,
    process,      // a process; 0 is the caller
    group,        // a process group; 0 is the caller's or the process's own
    thread,       // a thread id: the kernel's for threads of the caller, otherwise a process's number
    thread_in,    // a thread id within the process named by the argument before
    wait_target,  // wait4: >0 a process, 0 and -1 as they are, < -1 a group
    wait_id,      // waitid's id: means what the argument before says (P_PID, P_PGID, ...)
    kill_target,  // kill: >0 a process, 0 the own group, -1 everybody, < -1 a group
    who,          // setpriority: means what the argument before says (PRIO_PROCESS, ...)
};

// What memory an argument points to.
enum class Memory : uint8_t {
    none,
    group_in,    // a group's number that the kernel reads
    group_out,   // a group's or session's number that the kernel writes
    siginfo_out  // a siginfo_t that the kernel writes; si_pid is a process
};

// How the monitor serves it.
enum class Way : uint8_t {
    answer,   // the monitor knows the result: the call isn't made
    rewrite,  // made by the thread itself, with the host's numbers; result and memory are translated back
    create,   // the fork family
    send,     // a signal: as rewrite, after looking whether virtual pid 1 takes it
    observe,  // passes as it is, but the monitor must know of it
    enter,    // changes the namespace that children are born in
    mount,    // may mount a procfs, which the kernel grants only to who owns the pid namespace
};

// What the call's success changes in the table.
enum class After : uint8_t { nothing, reap, join_group, lead_session, enter_namespace };

// One comparison of the filter: (argument & mask) == value, or != value when differs is set.
struct Condition {
    uint8_t argument = 0;
    bool differs = false;
    uint64_t mask = 0;
    uint64_t value = 0;
};

struct Call {
    long number = 0;
    const char* name = nullptr;
    const char* group = nullptr;  // of the surface, for documentation and conformance
    Way way = Way::answer;
    Kind arguments[3] = {};
    Kind result = Kind::none;
    Memory memory = Memory::none;
    uint8_t memory_argument = 0;
    After after = After::nothing;
    bool sleeps = false;  // can wait for long: nobody may wait for its end
    Condition when = {};  // traps only then; mask 0: always
};

// The rows, ordered as documented. A call may have several (one for each ioctl request).
struct Calls {
    const Call* begin_;
    const Call* end_;
    const Call* begin() const { return begin_; }
    const Call* end() const { return end_; }
};
Calls calls();

// The row for a call that trapped, or nullptr.
const Call* find_call(long number, const uint64_t* arguments);

}  // namespace ctr::pidns
