// The mark: a constant in the sixth argument, unused by the calls of the pid surface, which says "this call
// already carries the kernel's numbers". The seccomp filter lets a marked call pass. Not a secret and not a
// security boundary: this layer numbers processes, the kernel contains them. Freestanding.
#pragma once

namespace ctr::pidns {

// 32 bits, so that the code inside workloads can load it with the shortest instruction.
inline constexpr unsigned long mark = 0x6d616769UL;

// Calls that use all six arguments carry it in the upper half of their first, a pid_t, which the kernel
// ignores.
inline constexpr unsigned long upper_mark = mark << 32;

// In the sixth argument as well: the layer's own code inside the workload (pidns/guest) asks the monitor to
// serve the call. It understands two answers that a program wouldn't:
//   do_it_yourself     as the result: the call concerns no number, make it with the mark
//   answered_mark      in r11, which a call clobbers: the result comes from the kernel or the monitor. An
//   EINTR without it
//                      means that a signal came before the monitor had received the call, which is then made
//                      again.
inline constexpr unsigned long asked_mark = 0x6d61676aUL;
inline constexpr long do_it_yourself = -4000;  // no errno has this value
inline constexpr unsigned long answered_mark = 1UL << 63 | asked_mark;

// In the fifth argument, of calls that have fewer: the layer's code makes it for itself, and a tracer isn't
// to see it.
inline constexpr unsigned long own_mark = 0x6d61676bUL;

// prctl(layer_question): 1 where there is a layer that numbers the caller, EINVAL from the kernel itself. A
// launcher inside leaves numbering to it, because a process can have one notification listener only.
inline constexpr int layer_question = 0x63747221;

// prctl(layer_attach): a descriptor of the numbers file (model/file.h), or EAGAIN for a process whose calls
// the monitor wants to see. EINVAL where there is no layer.
inline constexpr int layer_attach = 0x63747222;

// prctl(layer_reaped, host number, address, in siginfo): a wait has just reported this child, which isn't of
// the caller's namespace, is unknown, or is traced by it; its status lies at that address. Its number as the
// caller sees it (0: none); EAGAIN: its namespace hasn't ended yet, ask again; do_it_yourself: the caller
// isn't to see it, wait again.
inline constexpr int layer_reaped = 0x63747223;

// prctl(layer_quiet): the layer's code makes no calls of its own in this process any more; the monitor is to
// translate what arrives at its signal handlers.
inline constexpr int layer_quiet = 0x63747224;

}  // namespace ctr::pidns
