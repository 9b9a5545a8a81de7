// Signal handlers that get to see who sent the signal: SA_SIGINFO.
//
// The kernel calls on_signal (entry.S) in their place, and finds the handler itself where it expects the
// restorer, the address to which a handler returns. So nothing has to be remembered: the kernel keeps both,
// per process, through fork and vfork, until exec. The restorer itself is always the C library's own, whose
// place the instrumenter has found: unwinders and debuggers know it.
#include <signal.h>

#include "pidns/guest/numbers.h"
#include "pidns/guest/serve.h"
#include "pidns/surface/structures.h"

extern "C" {
extern const int32_t restorer __attribute__((visibility("hidden")));
extern const char guest_header[] __attribute__((visibility("hidden")));
extern const char on_signal[] __attribute__((visibility("hidden")));
extern const char do_nothing[] __attribute__((visibility("hidden")));
}

namespace ctr::pidns::guest {

namespace {

// struct sigaction of the kernel.
struct KernelAction {
    uint64_t handler;
    uint64_t flags;
    uint64_t restorer;
    uint64_t mask;
};
constexpr uint64_t mask_size = 8;
constexpr uint64_t sa_restorer_flag = 0x04000000;

uint64_t address(const char* code) {
    return reinterpret_cast<uint64_t>(code);
}

uint64_t own_restorer() {
    // Written after the guest was compiled.
    const int32_t offset = *const_cast<const volatile int32_t*>(&restorer);
    return offset == 0 ? 0 : address(guest_header) + static_cast<uint64_t>(static_cast<int64_t>(offset));
}

void show_handler(KernelAction& action) {
    if (action.handler != address(on_signal)) return;
    action.handler = action.restorer;
    action.restorer = own_restorer();
}

// by_handler: it came through where the monitor translates the signals of the processes that it holds.
void translate(siginfo_t* info, bool by_handler) {
    if (!names_process(info->si_signo, info->si_code, info->si_pid, info->si_uid)) return;
    const auto self = Self::find_again();
    if (self && !(by_handler && self->is_held())) info->si_pid = self->outward(info->si_pid);
}

}  // namespace

Action set_handler(Frame& frame, const Row& row) {
    const uint64_t place = frame.arguments[1];
    if (!is_readable(frame.stack(), place, sizeof(KernelAction))) return ask(frame, row);
    KernelAction action = *reinterpret_cast<const KernelAction*>(place);
    const bool sees = action.handler > 1 && (action.flags & SA_SIGINFO) != 0;
    if (sees && (action.restorer != own_restorer() || (action.flags & sa_restorer_flag) == 0))
        return ask(frame, row);
    if (sees) {
        action.restorer = action.handler;
        action.handler = address(on_signal);
    }
    frame.result = marked(SYS_rt_sigaction, frame.arguments[0], reinterpret_cast<uint64_t>(&action),
                          frame.arguments[2], frame.arguments[3]);
    handler_set(frame);
    return Action::done;
}

bool handler_set(Frame& frame) {
    if (frame.result == 0 && frame.arguments[2] != 0)
        show_handler(*reinterpret_cast<KernelAction*>(frame.arguments[2]));
    return false;
}

bool took_signal(Frame& frame) {
    if (frame.result > 0) translate(reinterpret_cast<siginfo_t*>(frame.arguments[1]), false);
    return false;
}

// Returns the handler to go to. slot: where the address to return to lies; the kernel puts the context behind
// it.
extern "C" __attribute__((visibility("hidden"))) uint64_t guest_signal(uint64_t* slot, siginfo_t* info,
                                                                       void* context, int signal) {
    if (context == slot + 1) {
        translate(info, true);
        const uint64_t handler = *slot;
        *slot = own_restorer();
        return handler;
    }
    // Called by somebody who took it for the handler that was there before its own.
    KernelAction action{};
    const int64_t got = marked(SYS_rt_sigaction, static_cast<uint64_t>(signal), 0,
                               reinterpret_cast<uint64_t>(&action), mask_size);
    return got == 0 && action.handler == address(on_signal) ? action.restorer : address(do_nothing);
}

}  // namespace ctr::pidns::guest
