// Structures in a program's memory that hold process numbers, as data: which field is which kind of number.
// Layouts are those of the x86-64 ABI. Freestanding.
#pragma once

#include <cstdint>

#include "pidns/surface/kinds.h"

namespace ctr::pidns {

enum class Structure : uint8_t {
    none,
    number,             // one pid_t: TIOCGPGRP and its like
    flock,              // struct flock
    owner_ex,           // struct f_owner_ex
    credentials,        // struct ucred
    capability_header,  // struct __user_cap_header_struct
    sigevent,           // struct sigevent
    shm_state,          // struct shmid_ds
    msg_state,          // struct msqid_ds
    pidfd_info,         // struct pidfd_info
    owner,              // one int: > 0 a process, < 0 a group (FIOSETOWN)
    siginfo,            // siginfo_t; its pid depends on signal and code, see has_kernel_pid()
    siginfo_array,      // struct ptrace_peeksiginfo_args says how many
    ring_probe,         // struct io_uring_probe: no numbers, but which operations there are
    last,
};

// The field counts only where another field of `size` bytes (2 or 4) has a value, or hasn't. Size 0: always.
struct Guard {
    uint16_t offset = 0;
    uint8_t size = 0;
    bool differs = false;
    int32_t value = 0;
};

// A field of 32 bits. What its kind means may depend on the field of 32 bits at `selector`.
struct Field {
    uint16_t offset = 0;
    Kind kind = Kind::none;
    uint16_t selector = 0;
    Guard guard = {};
};

struct Fields {
    const Field* begin_ = nullptr;
    const Field* end_ = nullptr;
    const Field* begin() const { return begin_; }
    const Field* end() const { return end_; }
};
Fields fields_of(Structure structure);

// Whether si_pid of a siginfo_t is a number that the kernel has filled in. Not so where the union holds
// something else (a timer, an address, a band), and where the sender has supplied it (sigqueue): that is its
// own number already.
constexpr bool has_kernel_pid(int32_t signal, int32_t code) {
    constexpr int32_t child = 17;           // SIGCHLD
    constexpr int32_t user = 0;             // SI_USER: kill
    constexpr int32_t mesgq = -3;           // SI_MESGQ
    constexpr int32_t tkill = -6;           // SI_TKILL: tkill, tgkill
    constexpr int32_t last_child_code = 6;  // CLD_CONTINUED
    if (code == user || code == mesgq || code == tkill) return true;
    return signal == child && code > 0 && code <= last_child_code;
}

}  // namespace ctr::pidns
