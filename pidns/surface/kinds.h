// Kinds of process numbers: what an argument, a result or a field in memory means. Freestanding.
#pragma once

#include <cstdint>

namespace ctr::pidns {

// "Selector": the argument before, or the field that the structure's row names.
enum class Kind : uint8_t {
    none,
    process,      // a process; 0 is the caller
    group,        // a process group; 0 is the caller's or the process's own
    thread,       // a thread id: the kernel's for threads of the caller, otherwise a process's number
    thread_in,    // a thread id within the process named by the argument before
    wait_target,  // wait4: >0 a process, 0 and -1 as they are, < -1 a group
    wait_id,      // waitid's id: means what the selector says (P_PID, P_PGID, ...)
    kill_target,  // kill: >0 a process, 0 the own group, -1 everybody, < -1 a group
    who,          // setpriority: means what the selector says (PRIO_PROCESS, PRIO_PGRP, ...)
    io_who,       // ioprio_set: the same (IOPRIO_WHO_PROCESS, IOPRIO_WHO_PGRP, ...)
    owner,        // F_SETOWN: > 0 a process, < 0 a group
    owner_ex,     // f_owner_ex: means what the selector says (F_OWNER_TID, F_OWNER_PID, F_OWNER_PGRP)
    clock,        // a clock id: a negative one may hold a process or thread
};

}  // namespace ctr::pidns
