#include "pidns/monitor/seize.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <ucontext.h>

#include <cerrno>
#include <utility>

// long ctr_ptrace_call(request, pid, address, data): the bare call, so that its instruction has a name.
__asm__(R"(
    .text
    .type ctr_ptrace_call, @function
ctr_ptrace_call:
    .cfi_startproc
    mov $101, %eax
    mov %rcx, %r10
ctr_ptrace_instruction:
    syscall
    ret
    .cfi_endproc
    .size ctr_ptrace_call, . - ctr_ptrace_call
)");

extern "C" {
[[gnu::visibility("hidden")]] long ctr_ptrace_call(long request, long pid, long address, long data);
[[gnu::visibility("hidden")]] extern const char ctr_ptrace_instruction[];
}

namespace ctr::pidns {

namespace {

constexpr suseconds_t period_us = 5'000;
constexpr long syscall_length = 2;

void on_alarm(int, siginfo_t*, void* context) {
    auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    if (registers[REG_RIP] != reinterpret_cast<greg_t>(ctr_ptrace_instruction)) return;
    registers[REG_RIP] += syscall_length;
    registers[REG_RAX] = -EAGAIN;
}

}  // namespace

Status Alarm::install() {
    struct sigaction action {};
    action.sa_sigaction = on_alarm;
    action.sa_flags = SA_SIGINFO;
    if (sigaction(SIGALRM, &action, nullptr) != 0) return fail_call("run the pid monitor", "sigaction");
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    if (sigprocmask(SIG_UNBLOCK, &set, nullptr) != 0) return fail_call("run the pid monitor", "sigprocmask");
    return {};
}

void Alarm::set() {
    if (std::exchange(set_, true)) return;
    // It repeats, because the first may come before the wait has begun.
    const itimerval timer{{0, period_us}, {0, period_us}};
    setitimer(ITIMER_REAL, &timer, nullptr);
}

void Alarm::stop() {
    if (!std::exchange(set_, false)) return;
    const itimerval none{};
    setitimer(ITIMER_REAL, &none, nullptr);
}

int seize(HostPid thread, long options, Alarm& alarm) {
    alarm.set();
    return static_cast<int>(-ctr_ptrace_call(PTRACE_SEIZE, raw(thread), 0, options));
}

}  // namespace ctr::pidns
