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

// Whether it tells of the end of a child whose exit signal isn't SIGCHLD (clone). Its code then looks like
// one of a SIGPOLL under another number (F_SETSIG), which has its band in the place of pid and uid; but of
// bands there are three, and none has a uid. No signal has both meanings that has codes of its own.
constexpr bool ends_child(int32_t signal, int32_t code, int32_t pid, uint32_t uid) {
    constexpr int32_t first = 1, last = 3;             // CLD_EXITED, CLD_KILLED, CLD_DUMPED
    constexpr int32_t bands[] = {0x41, 0x304, 0x441};  // of POLL_IN, POLL_OUT, POLL_MSG
    constexpr uint64_t with_codes = 1U << 4 | 1U << 5 | 1U << 7 | 1U << 8 | 1U << 11 | 1U << 17 | 1U << 31;
    if (signal <= 0 || signal > 64 || code < first || code > last) return false;
    if (signal < 32 && ((with_codes >> static_cast<unsigned>(signal)) & 1) != 0) return false;
    return pid > 0 && (uid != 0 || pid != bands[code - first]);
}

// Whether si_pid is, by one or the other, the kernel's number of a process.
constexpr bool names_process(int32_t signal, int32_t code, int32_t pid, uint32_t uid) {
    return pid > 0 && (has_kernel_pid(signal, code) || ends_child(signal, code, pid, uid));
}

}  // namespace ctr::pidns
