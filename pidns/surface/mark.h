// The mark: a constant in the sixth argument, unused by the calls of the pid surface, which says "this call
// already carries the kernel's numbers". The seccomp filter lets a marked call pass. Not a secret and not a
// security boundary: this layer numbers processes, the kernel contains them. Freestanding.
#pragma once

namespace ctr::pidns {

inline constexpr unsigned long mark = 0x6d616769632d7670UL;

// Calls that use all six arguments carry it in the upper half of their first, a pid_t, which the kernel
// ignores.
inline constexpr unsigned long upper_mark = 0x6d616769UL << 32;

// prctl(layer_question): 1 where there is a layer that numbers the caller, EINVAL from the kernel itself. A
// launcher inside leaves numbering to it, because a process can have one notification listener only.
inline constexpr int layer_question = 0x63747221;

}  // namespace ctr::pidns
