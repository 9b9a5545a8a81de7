// The registers of a stopped thread in terms of its system call. All that the monitor knows of the
// architecture.
#pragma once

#include <sys/ptrace.h>
#include <sys/user.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "pidns/surface/mark.h"
#include "runtime/base/ids.h"

namespace ctr::pidns {

// Results by which the kernel asks itself to make a call again after a signal (include/linux/errno.h). A
// program never sees them; a tracer does.
inline constexpr long restart_sys = 512;           // unless a handler without SA_RESTART ran
inline constexpr long restart_no_interrupt = 513;  // in any case
inline constexpr long restart_block = 516;
constexpr bool is_restart(long result) {
    return result <= -restart_sys && result >= -restart_block;
}

class Registers {
  public:
    using Arguments = std::array<uint64_t, 6>;

    bool load(HostPid thread) { return ptrace(PTRACE_GETREGS, raw(thread), nullptr, &regs_) == 0; }
    bool store(HostPid thread) { return ptrace(PTRACE_SETREGS, raw(thread), nullptr, &regs_) == 0; }

    uint64_t stack() const { return regs_.rsp; }

    long call() const { return static_cast<long>(regs_.orig_rax); }
    void set_call(long number) { regs_.orig_rax = static_cast<unsigned long long>(number); }
    long result() const { return static_cast<long>(regs_.rax); }
    void set_result(long value) { regs_.rax = static_cast<unsigned long long>(value); }

    Arguments arguments() const { return {regs_.rdi, regs_.rsi, regs_.rdx, regs_.r10, regs_.r8, regs_.r9}; }
    void set_arguments(const Arguments& a) {
        regs_.rdi = a[0];
        regs_.rsi = a[1];
        regs_.rdx = a[2];
        regs_.r10 = a[3];
        regs_.r8 = a[4];
        regs_.r9 = a[5];
    }

    // For code of the layer that has asked (surface/mark.h): this result is the call's.
    void set_answered() { regs_.r11 = answered_mark; }

    // Where PTRACE_POKEUSER finds them.
    static constexpr uint64_t place_of_answered = offsetof(user_regs_struct, r11);
    static constexpr uint64_t place_of_result = offsetof(user_regs_struct, rax);
    static constexpr std::array<uint64_t, 6> place_of_argument{
        offsetof(user_regs_struct, rdi), offsetof(user_regs_struct, rsi), offsetof(user_regs_struct, rdx),
        offsetof(user_regs_struct, r10), offsetof(user_regs_struct, r8),  offsetof(user_regs_struct, r9)};

    // At the end of a call: the thread will make a call again from the same instruction.
    void repeat(long number) {
        regs_.rip -= 2;  // the length of `syscall`
        regs_.rax = static_cast<unsigned long long>(number);
    }

  private:
    user_regs_struct regs_{};
};

}  // namespace ctr::pidns
