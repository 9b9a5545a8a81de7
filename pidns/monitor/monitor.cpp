#include "pidns/monitor/monitor.h"

#include <linux/audit.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

#include "pidns/monitor/memory.h"
#include "pidns/monitor/procfs.h"

namespace ctr::pidns {

namespace {

constexpr const char* step = "run the pid monitor";
constexpr uint32_t native_arch = AUDIT_ARCH_X86_64;
constexpr long x32_bit = 0x40000000;

// How long a thread that should stop at once may take before the monitor turns to other work.
constexpr int patience_ms = 5;

// While stops keep coming, how many are served before the next trap is.
constexpr int stops_before_traps = 4;

// While waiting in waitpid, which has no timeout: a signal ends the wait. Nothing to do in the handler.
Status install_alarm() {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    if (sigaction(SIGALRM, &action, nullptr) != 0) return fail_call(step, "sigaction");
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    if (sigprocmask(SIG_UNBLOCK, &set, nullptr) != 0) return fail_call(step, "sigprocmask");
    return {};
}

// Repeats, because the first signal may come before waitpid has gone to sleep.
void set_alarm(suseconds_t us) {
    const itimerval timer{{0, us}, {0, us}};
    setitimer(ITIMER_REAL, &timer, nullptr);
}

long or_errno(long value) {
    return value < 0 ? -errno : value;
}

bool may_sleep(const Call& call, const uint64_t* arguments) {
    if (!call.sleeps) return false;
    if (call.number == SYS_wait4) return (arguments[2] & WNOHANG) == 0;
    if (call.number == SYS_waitid) return (arguments[3] & WNOHANG) == 0;
    return true;
}

// What the fork family says about the child to come, wherever the call keeps it.
struct Creation {
    uint64_t flags = 0;
    uint64_t parent_tid = 0;
    bool chooses_numbers = false;  // clone3's set_tid
};

std::optional<Creation> creation_of(const Trap& trap) {
    switch (trap.number) {
        case SYS_vfork:
            return Creation{.flags = CLONE_VM | CLONE_VFORK};
        case SYS_clone:
            return Creation{.flags = trap.arguments[0], .parent_tid = trap.arguments[2]};
        case SYS_clone3:
            break;
        default:
            return Creation{};
    }
    const ProcessMemory memory(trap.thread);
    if (!memory) return {};
    clone_args args{};
    // The first version of the structure ends before set_tid (CLONE_ARGS_SIZE_VER0).
    const auto base = memory.read<std::array<std::byte, CLONE_ARGS_SIZE_VER0>>(trap.arguments[0]);
    if (!base) return Creation{};  // the kernel says EFAULT
    std::copy(base->begin(), base->end(), reinterpret_cast<std::byte*>(&args));
    Creation creation{.flags = args.flags, .parent_tid = args.parent_tid};
    if (trap.arguments[1] >= CLONE_ARGS_SIZE_VER1)
        creation.chooses_numbers =
            memory.read<uint64_t>(trap.arguments[0] + offsetof(clone_args, set_tid_size)).value_or(0) != 0;
    return creation;
}

// What the layer doesn't give (yet): nested namespaces, chosen numbers, and hiding a child from its tracer.
int unsupported(const Creation& creation) {
    if (creation.chooses_numbers) return EPERM;
    if ((creation.flags & CLONE_NEWPID) != 0) return ENOSPC;
    return (creation.flags & CLONE_UNTRACED) != 0 ? EINVAL : 0;
}

}  // namespace

Result<std::unique_ptr<Monitor>> Monitor::create(Fd listener, HostPid init, Warn warn) {
    auto numbers = Numbers::create();
    if (!numbers) return std::unexpected(std::move(numbers).error());
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    Fd child_signals(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!child_signals) return fail_call(step, "signalfd");
    if (auto done = install_alarm(); !done) return std::unexpected(std::move(done).error());
    numbers->register_init(init);
    return std::unique_ptr<Monitor>(new Monitor(std::move(listener), std::move(child_signals),
                                                std::move(*numbers), init, std::move(warn)));
}

Monitor::Monitor(Fd listener, Fd child_signals, Numbers numbers, HostPid init, Warn warn)
    : listener_(std::move(listener)),
      child_signals_(std::move(child_signals)),
      numbers_(std::move(numbers)),
      translator_(numbers_),
      sender_(numbers_, init),
      tracer_(*this),
      init_(init),
      warn_(std::move(warn)) {}

// Three kinds of events: traps (the listener), stops of threads and ends of processes (waitpid), and stop. A
// stop that is due within microseconds is awaited in waitpid itself, whose wake-up is synchronous: the
// stopping thread hands its CPU over. Everything else is awaited in poll.
Result<std::optional<int>> Monitor::run(int stop) {
    std::array<pollfd, 3> events{
        {{listener_.fd(), POLLIN, 0}, {child_signals_.get(), POLLIN, 0}, {stop, POLLIN, 0}}};
    while (!ended_) {
        for (int stops = 0; tracer_.busy() && stops < stops_before_traps; ++stops) await_stop();
        const int timeout = tracer_.busy() ? 0 : tracer_.unsettled() ? patience_ms : -1;
        const int ready = poll(events.data(), events.size(), timeout);
        if (ready < 0 && errno != EINTR) return fail_call(step, "poll");
        if (ready < 0 && !tracer_.busy()) stop_alarm();
        if (ready == 0 && timeout > 0) tracer_.give_up_waiting();
        if (ready <= 0) continue;
        if (events[2].revents != 0) return std::optional<int>{};
        if (events[1].revents != 0) take_child_signals();
        if ((events[0].revents & POLLIN) != 0) take_trap();
        // All processes of the container are gone: init's end will say so too.
        if ((events[0].revents & POLLHUP) != 0) events[0].fd = -1;
    }
    return ended_;
}

void Monitor::take_child_signals() {
    // One: a signal that is pending doesn't become pending again.
    signalfd_siginfo drained{};
    [[maybe_unused]] const ssize_t got = read(child_signals_.get(), &drained, sizeof drained);
    while (take_statuses(WNOHANG)) {
    }
}

bool Monitor::take_statuses(int options) {
    int status = 0;
    const pid_t thread = waitpid(-1, &status, __WALL | options);
    if (thread <= 0) return false;
    tracer_.stopped(HostPid(thread), status);
    if (HostPid(thread) == init_ && !WIFSTOPPED(status)) ended_ = status;
    return true;
}

// The alarm is set once for many stops, because setting it costs; it repeats. Two in a row without a stop
// between them mean that nothing moves; one while nobody is awaited turns it off.
void Monitor::await_stop() {
    if (!std::exchange(alarm_set_, true)) set_alarm(patience_ms * 1000);
    if (take_statuses(0)) {
        alarmed_ = false;
    } else if (errno == EINTR && std::exchange(alarmed_, true)) {
        tracer_.give_up_waiting();
    }
}

void Monitor::stop_alarm() {
    if (std::exchange(alarm_set_, false)) set_alarm(0);
    alarmed_ = false;
}

void Monitor::take_trap() {
    const auto trap = listener_.receive();
    if (!trap) return;
    numbers_.collect_stale();
    serve(*trap);
}

void Monitor::serve(const Trap& trap) {
    if (trap.arch != native_arch || (trap.number & x32_bit) != 0) return refuse_foreign(trap);
    const Call* call = find_call(trap.number, trap.arguments);
    if (!call) {
        listener_.proceed(trap);
        return;
    }
    const Caller caller{trap.thread, process_of(trap)};
    if (caller.process == HostPid::none) {
        listener_.answer(trap,
                         -EPERM);  // killed meanwhile, and nobody hears this; or hidden from us (hidepid)
        return;
    }
    if (interruptible_.contains(raw(caller.process))) hold(trap);
    switch (call->way) {
        case Way::answer:
            return answer(trap, *call, caller);
        case Way::create:
            return create_process(trap, *call, caller);
        case Way::observe:
            return observe_handler(trap, caller);
        case Way::refuse:
            listener_.answer(trap, -call->error);
            return;
        case Way::rewrite:
        case Way::send:
            return rewrite(trap, *call, caller);
    }
}

// A handler without SA_RESTART: its signal would end a call that waits for us. See tracer.h.
void Monitor::observe_handler(const Trap& trap, const Caller& caller) {
    struct KernelAction {  // struct sigaction of the kernel, which isn't the C library's
        uint64_t handler;
        uint64_t flags;
    };
    const auto action = ProcessMemory(trap.thread).read<KernelAction>(trap.arguments[1]);
    if (action && action->handler > reinterpret_cast<uintptr_t>(SIG_IGN) &&
        (action->flags & SA_RESTART) == 0) {
        interruptible_.insert(raw(caller.process));
        hold(trap);
    }
    listener_.proceed(trap);
}

void Monitor::hold(const Trap& trap) {
    if (!tracer_.holds(trap.thread)) tracer_.hold(trap);
}

// none: it is gone meanwhile.
HostPid Monitor::process_of(const Trap& trap) {
    if (numbers_.number_of(trap.thread) != VirtPid::none) return trap.thread;
    const HostPid process = process_of_thread(trap.thread);
    if (process == HostPid::none || !listener_.valid(trap)) return HostPid::none;
    if (numbers_.number_of(process) == VirtPid::none) numbers_.adopt(process);
    return process;
}

void Monitor::answer(const Trap& trap, const Call& call, const Caller& caller) {
    const auto own_or_named = [&] {
        const auto number = static_cast<int>(trap.arguments[0]);
        return number == 0 ? raw(caller.process) : translator_.inward(number);
    };
    const auto visible = [&](long host) {
        return host < 0 ? or_errno(host) : translator_.outward(static_cast<int>(host));
    };
    const auto result = [&]() -> long {
        switch (call.number) {
            case SYS_getpid:
                return translator_.outward(raw(caller.process));
            case SYS_gettid:
                return caller.thread == caller.process ? translator_.outward(raw(caller.process))
                                                       : raw(caller.thread);
            case SYS_getppid:
                return translator_.outward(raw(parent_of(caller.process)));
            case SYS_getpgrp:
                return visible(getpgid(raw(caller.process)));
            case SYS_getpgid:
                return visible(getpgid(own_or_named()));
            case SYS_getsid:
                return visible(getsid(own_or_named()));
            default:
                return -ENOSYS;
        }
    };
    listener_.answer(trap, result());
}

void Monitor::rewrite(const Trap& trap, const Call& call, const Caller& caller) {
    Rewrite rewrite{.call = &call, .caller = caller};
    std::copy_n(trap.arguments, rewrite.original.size(), rewrite.original.begin());
    rewrite.arguments = translator_.inward(call, caller, trap.arguments);
    rewrite.sleeps = may_sleep(call, trap.arguments);
    if (call.memory == Memory::group_in && !put_number(trap, rewrite)) {
        listener_.answer(trap, -EPERM);  // killed meanwhile, or its memory is closed to us (not dumpable)
        return;
    }
    if (call.way == Way::send)
        if (const auto result = sender_.prepare(rewrite)) {
            listener_.answer(trap, *result);
            return;
        }
    begin(trap, std::move(rewrite));
}

void Monitor::create_process(const Trap& trap, const Call& call, const Caller& caller) {
    const auto creation = creation_of(trap);
    if (!creation || !listener_.valid(trap)) {
        listener_.answer(trap, -EPERM);
        return;
    }
    if ((creation->flags & CLONE_THREAD) != 0) {
        listener_.proceed(trap);
        return;
    }
    if (const int error = unsupported(*creation); error != 0) {
        listener_.answer(trap, -error);
        return;
    }
    const VirtPid number = numbers_.reserve();
    if (number == VirtPid::none) {
        listener_.answer(trap, -EAGAIN);
        return;
    }
    Rewrite rewrite{.call = &call, .caller = caller, .reserved = number};
    std::copy_n(trap.arguments, rewrite.original.size(), rewrite.original.begin());
    rewrite.arguments = rewrite.original;
    rewrite.sleeps = (creation->flags & CLONE_VFORK) != 0;
    if ((creation->flags & CLONE_PARENT_SETTID) != 0) rewrite.parent_tid = creation->parent_tid;
    begin(trap, std::move(rewrite));
}

void Monitor::begin(const Trap& trap, Rewrite rewrite) {
    const Call& call = *rewrite.call;
    const VirtPid reserved = rewrite.reserved;
    const HostPid process = rewrite.caller.process;
    const int error = call.way == Way::create ? tracer_.create(listener_, trap, std::move(rewrite))
                                              : tracer_.rewrite(listener_, trap, std::move(rewrite));
    if (error == 0) return;
    numbers_.give_back(reserved);
    if (error == ESRCH) return;  // killed meanwhile
    warn_("process " + std::to_string(translator_.outward(raw(process))) + " (host " +
          std::to_string(raw(process)) + ") can't be served: its " + call.name +
          " needs ptrace, which says " + errno_name(error) +
          ": it is being traced inside the container, or isn't dumpable; it gets EPERM");
    listener_.answer(trap, -EPERM);
}

// The table describes x86-64 calls only: a program of another kind would see the host's numbers.
void Monitor::refuse_foreign(const Trap& trap) {
    const HostPid process = process_of_thread(trap.thread);
    if (!listener_.valid(trap)) return;
    warn_("process with host number " + std::to_string(raw(process)) + " was ended (SIGSYS): it makes " +
          (trap.arch == AUDIT_ARCH_I386 ? "32-bit (i386)" : "x32") +
          " system calls, which --pidns=flat doesn't translate; --pidns=kernel runs it");
    kill(raw(process), SIGSYS);
    listener_.answer(trap, -ENOSYS);
}

void Monitor::created(Rewrite& rewrite, HostPid child) {
    rewrite.created = true;
    if (interruptible_.contains(raw(rewrite.caller.process)))
        interruptible_.insert(raw(child));
    else
        interruptible_.erase(raw(child));
    numbers_.register_child(rewrite.reserved, child, rewrite.caller.process);
}

std::optional<long> Monitor::finished(Rewrite& rewrite, long result) {
    const Call& call = *rewrite.call;
    if (rewrite.broadcast) return sender_.next(rewrite, result);
    if (call.way == Way::create) {
        if (result <= 0) {
            abandoned(rewrite);
            return result;
        }
        if (rewrite.parent_tid != 0)
            ProcessMemory(rewrite.caller.thread).write<int32_t>(rewrite.parent_tid, raw(rewrite.reserved));
        return raw(rewrite.reserved);
    }
    if (rewrite.memory_before) abandoned(rewrite);  // puts the program's own number back
    if (result < 0) return result;
    switch (call.memory) {
        case Memory::group_out:
            translate_number(rewrite);
            break;
        case Memory::siginfo_out:
            if (const HostPid host = translate_siginfo(rewrite); host != HostPid::none)
                numbers_.reported(host);
            break;
        default:
            break;
    }
    switch (call.after) {
        case After::join_group: {
            const auto target = static_cast<int>(rewrite.arguments[0]);
            numbers_.refresh(target == 0 ? rewrite.caller.process : HostPid(target));
            break;
        }
        case After::lead_session:
            numbers_.refresh(rewrite.caller.process);
            break;
        default:
            break;
    }
    if (call.result == Kind::none || result == 0) return result;
    const auto host = HostPid(static_cast<int>(result));
    // A child that its creator hid from the layer has a number all the same, while it is being reported.
    if (numbers_.number_of(host) == VirtPid::none) numbers_.adopt(host);
    const int number = translator_.outward(raw(host));
    if (call.after == After::reap) numbers_.reported(host);
    return number;
}

void Monitor::abandoned(Rewrite& rewrite) {
    if (rewrite.call->way == Way::create && !rewrite.created) numbers_.give_back(rewrite.reserved);
    if (rewrite.memory_before)
        ProcessMemory(rewrite.caller.thread)
            .write(rewrite.original[rewrite.call->memory_argument],
                   *std::exchange(rewrite.memory_before, {}));
}

void Monitor::executed(HostPid process) {
    interruptible_.erase(raw(process));
}

// The kernel reads the number from the program's memory: the host's lies there for the duration of the call.
bool Monitor::put_number(const Trap& trap, Rewrite& rewrite) {
    const uint64_t address = trap.arguments[rewrite.call->memory_argument];
    const ProcessMemory memory(trap.thread);
    if (!memory || !listener_.valid(trap)) return false;
    const auto number = memory.read<int32_t>(address);
    if (!number) return true;  // the kernel says EFAULT
    rewrite.memory_before = number;
    memory.write(address, int32_t{translator_.inward(*number)});
    return true;
}

HostPid Monitor::translate_siginfo(const Rewrite& rewrite) {
    const uint64_t info = rewrite.original[rewrite.call->memory_argument];
    if (info == 0) return HostPid::none;
    const ProcessMemory memory(rewrite.caller.thread);
    const uint64_t field = info + offsetof(siginfo_t, si_pid);
    const auto host = memory.read<int32_t>(field);
    if (!host || *host <= 0) return HostPid::none;  // WNOHANG, and nobody changed state
    if (numbers_.number_of(HostPid(*host)) == VirtPid::none) numbers_.adopt(HostPid(*host));
    memory.write(field, int32_t{translator_.outward(*host)});
    return HostPid(*host);
}

void Monitor::translate_number(const Rewrite& rewrite) {
    const uint64_t address = rewrite.original[rewrite.call->memory_argument];
    const ProcessMemory memory(rewrite.caller.thread);
    if (const auto host = memory.read<int32_t>(address))
        memory.write(address, int32_t{translator_.outward(*host)});
}

}  // namespace ctr::pidns
