// System calls of the guest code's own. Results are the kernel's: negative is an error. Freestanding.
#pragma once

#include <sys/syscall.h>

#include <cstdint>

#include "pidns/surface/mark.h"

namespace ctr::pidns::guest {

inline int64_t make(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f) {
    int64_t result = number;
    register uint64_t r10 __asm__("r10") = d;
    register uint64_t r8 __asm__("r8") = e;
    register uint64_t r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

// In the host's numbers; of at most four arguments.
inline int64_t marked(long number, uint64_t a = 0, uint64_t b = 0, uint64_t c = 0, uint64_t d = 0) {
    return make(number, a, b, c, d, own_mark, mark);
}

// To the monitor.
inline int64_t asked(long number, uint64_t a, uint64_t b = 0, uint64_t c = 0, uint64_t d = 0) {
    return make(number, a, b, c, d, own_mark, asked_mark);
}

constexpr int64_t eperm = -1, esrch = -3, eintr = -4, eagain = -11, efault = -14, ebusy = -16, eexist = -17,
                  exdev = -18, einval = -22, erofs = -30, enametoolong = -36;

}  // namespace ctr::pidns::guest
