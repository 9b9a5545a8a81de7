// Programs that trace others inside the container: strace, gdb.
//
// A thread has one tracer. One that a program of the container traces can't be traced by us, so what its
// calls need (other arguments, another result) is done *by its tracer, in our name*: whenever the tracer
// learns of a stop, or lets the thread go on, it makes the ptrace calls that we would have made (errand.h).
//
//   tracer                                       thread
//   wait4() returns: it stands before wait4(7)   entry stop
//   ptrace(PTRACE_SYSCALL) ... first we poke the host's numbers and the mark; off it goes
//   wait4() returns: it stands after wait4       exit stop; the program's arguments and the container's
//   numbers are
//                                                poked back before the tracer's wait4 returns
//
// A tracer that doesn't ask for stops at calls (PTRACE_CONT) gets them all the same, and never sees them. The
// price: its tracee stands at its next call until the tracer waits for it, or for anybody. (Known gap: one
// that waits for something else instead, in another way.) Creations aren't changed at all; their result is.
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "pidns/monitor/memory.h"
#include "pidns/monitor/procfs.h"
#include "pidns/monitor/server.h"

namespace ctr::pidns {

namespace {

// A tracer may be killed before it has what it asked for, and need not stop what it has.
constexpr std::chrono::seconds time_to_attach{1};
constexpr std::chrono::milliseconds time_to_interrupt{100};

constexpr uint8_t at_entry = 1, at_exit = 2;  // PTRACE_SYSCALL_INFO_ENTRY and _EXIT

// struct ptrace_syscall_info of include/uapi/linux/ptrace.h, which the C library's header names differently.
struct CallInfo {
    uint8_t op;
    uint8_t padding[3];
    uint32_t arch;
    uint64_t instruction;
    uint64_t stack;
    union {
        struct {
            uint64_t number;
            uint64_t arguments[6];
        } entry;
        struct {
            int64_t result;
            uint8_t is_error;
        } exit;
    };
};
constexpr long get_call_info = 0x420e;  // PTRACE_GET_SYSCALL_INFO

Made request(long what, HostPid tracee, uint64_t address = 0, uint64_t data = 0) {
    return {SYS_ptrace, {static_cast<uint64_t>(what), static_cast<uint64_t>(raw(tracee)), address, data}};
}

// Room on a stopped thread's stack for a structure that the kernel fills in; gives back what lay there.
template <class T>
class Lent {
  public:
    explicit Lent(HostPid thread) : memory_(thread) {
        Registers registers;
        if (registers.load(thread)) place_ = lay_down(memory_, registers.stack(), std::string(sizeof(T), 0));
    }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    ~Lent() {
        if (place_) memory_.write_bytes(place_->address, place_->before);
    }

    uint64_t address() const { return place_ ? place_->address : 0; }
    std::optional<T> read() const { return place_ ? memory_.read<T>(place_->address) : std::nullopt; }
    bool write(const T& value) const { return place_ && memory_.write(place_->address, value); }

  private:
    ProcessMemory memory_;
    std::optional<Scratch> place_;
};

bool lets_go_on(long what) {
    return what == PTRACE_CONT || what == PTRACE_SYSCALL;
}

// The others are answered when they trap; to serve them here as well would be once too often.
bool needs_change(const Call& call) {
    switch (call.way) {
        case Way::rewrite:
        case Way::send:
        case Way::mount:
        case Way::path:
        case Way::paths:
        case Way::address:
        case Way::dequeue:
        case Way::message:
        case Way::trace: return true;
        default: return false;
    }
}

}  // namespace

// Whether the thread is being traced inside the container, or is about to be.
Tracee* CallServer::tracee(HostPid thread) {
    const auto found = tracees_.find(raw(thread));
    if (found == tracees_.end()) return nullptr;
    if (!found->second.waits_for_tracer() && tracer_of(thread) == HostPid::none) {
        // Its tracer is gone.
        if (found->second.pending) abandoned(*found->second.pending);
        tracees_.erase(found);
        return nullptr;
    }
    return &found->second;
}

void CallServer::trace(const Trap& trap, const Call& call, const Caller& caller) {
    const auto what = static_cast<long>(trap.arguments[0]);
    Rewrite rewrite = as_made(trap, call, caller);
    const bool asks_itself = what == PTRACE_TRACEME;
    const bool attaches = what == PTRACE_ATTACH || what == PTRACE_SEIZE;
    rewrite.arguments = translator_.inward(call, caller, trap.arguments);
    const HostPid target = asks_itself ? caller.thread : HostPid(static_cast<int>(rewrite.arguments[1]));
    const bool in_vain = attaches && process_of_thread(target) == caller.process;  // EPERM
    if ((attaches && !in_vain) || asks_itself) {
        // One that can't be seen isn't the monitor's, and the kernel says so.
        if (translator_.thread_outward(raw(target), caller.space) != 0) {
            tracees_[raw(target)].expected = Tracee::Clock::now() + time_to_attach;
            numbers_.attention().set(process_of_thread(target), Attention::debugging);
        }
        numbers_.attention().set(asks_itself ? parent_of(caller.process) : caller.process, Attention::tracer);
        if (!tracer_.release(target)) {
            if (asks_itself)
                listener_.answer(trap, -restart_no_interrupt);
            else
                postponed_.push_back(trap);
            return;
        }
    }
    if (asks_itself) {
        tracees_[raw(target)].expected = {};
        listener_.proceed(trap);
        return;
    }
    if (lets_go_on(what) && tracee(target))
        rewrite.errand.emplace(let_go_on(caller, target, rewrite.arguments));
    if (what == PTRACE_DETACH && tracee(target))
        rewrite.errand.emplace(let_go(caller, target, rewrite.arguments));
    begin(trap, std::move(rewrite));
}

// What the tracer's call itself has brought about.
long CallServer::traced(const Rewrite& rewrite, long result) {
    const auto what = static_cast<long>(rewrite.original[0]);
    const auto target = HostPid(static_cast<int>(rewrite.arguments[1]));
    const auto found = tracees_.find(raw(target));
    Tracee* tracee = found == tracees_.end() ? nullptr : &found->second;
    const NamespaceId space = rewrite.caller.space;
    switch (what) {
        case PTRACE_ATTACH:
        case PTRACE_SEIZE:
            if (!tracee) return result;
            tracee->expected = {};
            if (result != 0) tracees_.erase(found);
            if (result == 0 && what == PTRACE_SEIZE) {
                tracee->options = rewrite.original[3];
                tracee->expected = Tracee::Clock::now() + time_to_interrupt;
            }
            if (what == PTRACE_ATTACH && result == 0) tracee->to_stop = true;
            if (what == PTRACE_ATTACH || result != 0) unpark(target);
            return result;
        case PTRACE_INTERRUPT:
            if (tracee) tracee->expected = {};
            if (tracee) tracee->to_stop = result == 0;
            unpark(target);
            return result;
        case PTRACE_SETOPTIONS:
            if (tracee && result == 0) tracee->options = rewrite.original[3];
            return result;
        case PTRACE_GETEVENTMSG: {
            const bool names_thread =
                tracee && (tracee->event == PTRACE_EVENT_FORK || tracee->event == PTRACE_EVENT_VFORK ||
                           tracee->event == PTRACE_EVENT_CLONE || tracee->event == PTRACE_EVENT_VFORK_DONE ||
                           tracee->event == PTRACE_EVENT_EXEC);
            const ProcessMemory memory(rewrite.caller.thread);
            const auto message = memory.read<uint64_t>(rewrite.original[3]);
            if (result != 0 || !names_thread || !message) return result;
            const auto named = HostPid(static_cast<int>(*message));
            adopt_if_new(named, numbers_.namespace_of(process_of_thread(target)));
            memory.write(rewrite.original[3],
                         static_cast<uint64_t>(translator_.thread_outward(raw(named), space)));
            return result;
        }
        case PTRACE_GETSIGINFO: {
            // A stop for the tracer names the thread itself. (What another process has sent is translated
            // when it stops for that.)
            const ProcessMemory memory(rewrite.caller.thread);
            auto info = memory.read<siginfo_t>(rewrite.original[3]);
            if (result != 0 || !info || info->si_signo != SIGTRAP || info->si_pid != raw(target))
                return result;
            info->si_pid = translator_.thread_outward(raw(target), space);
            memory.write(rewrite.original[3], *info);
            return result;
        }
        case PTRACE_PEEKSIGINFO: {
            const ProcessMemory memory(rewrite.caller.thread);
            for (long i = 0; i < result; ++i) {
                const uint64_t address = rewrite.original[3] + static_cast<uint64_t>(i) * sizeof(siginfo_t);
                auto info = memory.read<siginfo_t>(address);
                if (info && translate_arrival(*info, process_of_thread(target))) memory.write(address, *info);
            }
            return result;
        }
        default: return result;
    }
}

// A call of a thread whose tracer is about to have it. True: it will be made anew, from its beginning.
bool CallServer::awaits_tracer(const Trap& trap) {
    const Tracee* traced = tracee(trap.thread);
    if (!traced) return false;
    if (traced->waits_for_tracer())
        park(trap);
    else if (traced->to_stop)
        listener_.answer(trap, -restart_no_interrupt);  // it stops on its way back to the call
    else
        return false;
    return true;
}

// Until its tracer has it. While we trace it ourselves, its tracer waits for that to end, and so it must
// stop.
void CallServer::park(const Trap& trap) {
    if (tracer_.release(trap.thread))
        parked_.insert_or_assign(raw(trap.thread), trap);
    else
        listener_.answer(trap, -restart_no_interrupt);
}

// Its trap has waited for its tracer, so that it can be traced from its beginning.
void CallServer::unpark(HostPid thread) {
    const auto found = parked_.find(raw(thread));
    if (found == parked_.end()) return;
    listener_.answer(found->second, -restart_no_interrupt);
    parked_.erase(found);
}

void CallServer::adopt_if_new(HostPid process, NamespaceId space) {
    if (!numbers_.knows(process) && process_of_thread(process) == process)
        numbers_.adopt(process, space, parent_of(process));
}

// The thread that a wait has reported as stopped, if it's the caller's tracee.
HostPid CallServer::stopped_tracee(const Caller& caller, const std::optional<Report>& report,
                                   HostPid reported) {
    if (reported == HostPid::none || tracees_.contains(raw(caller.thread))) return HostPid::none;
    if (!report || !WIFSTOPPED(report->status)) {
        tracees_.erase(raw(reported));
        return HostPid::none;
    }
    if (tracees_.contains(raw(reported))) return reported;
    if (process_of_thread(tracer_of(reported)) != caller.process) return HostPid::none;
    // Made by one that is traced, with its options; a thread, by another of its process.
    const HostPid process = process_of_thread(reported);
    const auto maker = tracees_.find(raw(process == reported ? parent_of(process) : process));
    tracees_[raw(reported)].options = maker == tracees_.end() ? 0 : maker->second.options;
    // To number a new one resets what is said of it.
    adopt_if_new(process, caller.space);
    numbers_.attention().set(process, Attention::debugging);
    return reported;
}

// What a wait has reported, wherever the call has put it.
std::optional<CallServer::Report> CallServer::report_of(const Rewrite& rewrite) {
    if (rewrite.call->number == SYS_wait4)
        return report_at(rewrite.caller.thread, rewrite.original[1], false);
    if ((rewrite.original[3] & WNOWAIT) != 0) return {};
    return report_at(rewrite.caller.thread, rewrite.original[2], true);
}

std::optional<CallServer::Report> CallServer::report_at(HostPid thread, uint64_t address, bool in_siginfo) {
    const ProcessMemory memory(thread);
    if (address == 0) return {};
    if (!in_siginfo) {
        const auto status = memory.read<int>(address);
        return status ? std::optional(Report{*status, address, false}) : std::nullopt;
    }
    const auto info = memory.read<siginfo_t>(address);
    if (!info || (info->si_code != CLD_TRAPPED && info->si_code != CLD_STOPPED)) return {};
    return Report{static_cast<int>(static_cast<unsigned>(info->si_status) << 8U | 0x7fU),
                  address + offsetof(siginfo_t, si_status), true};
}

// The tracer is told of a stop. seen: what its wait returns; unseen: what it returns of a stop that is ours
// only.
Errand CallServer::look_at(Caller tracer, HostPid thread, Report report, long seen,
                           std::optional<long> unseen) {
    const int status = report.status;
    const int event = status >> 16;
    const int signal = WSTOPSIG(status);
    Tracee* tracee = &tracees_[raw(thread)];
    tracee->to_stop = false;
    tracee->event = event;
    if (event != 0) co_return seen;
    if ((signal & 0x7f) != SIGTRAP) {
        const Lent<siginfo_t> lent(tracer.thread);
        const long got = co_await request(PTRACE_GETSIGINFO, thread, 0, lent.address());
        auto info = lent.read();
        if (got == 0 && info && translate_arrival(*info, process_of_thread(thread)) && lent.write(*info))
            co_await request(PTRACE_SETSIGINFO, thread, 0, lent.address());
        co_return seen;
    }
    std::optional<CallInfo> info;
    {
        const Lent<CallInfo> lent(tracer.thread);
        const long got = co_await request(get_call_info, thread, sizeof(CallInfo), lent.address());
        if (got > 0) info = lent.read();
    }
    if (!info || (info->op != at_entry && info->op != at_exit)) co_return seen;
    std::vector<Made> pokes;
    const bool own_before = tracees_[raw(thread)].own;
    if (info->op == at_exit && !own_before) pokes = leave(thread, info->exit.result);
    tracee = &tracees_[raw(thread)];
    tracee->own = info->op == at_entry && info->entry.arguments[4] == own_mark;
    const bool own = tracee->own || (info->op == at_exit && own_before);
    tracee->entered = info->op == at_entry;
    tracee->in_call = false;
    if (tracee->entered) tracee->number = static_cast<long>(info->entry.number);
    const bool hidden = tracee->hidden || own;
    if (tracee->entered && tracee->hidden && !own) pokes = enter(thread, *info);
    for (const Made& poke : pokes) co_await poke;
    if (!hidden) {
        // That's ours (let_go_on): it doesn't expect the mark.
        if ((tracee->options & PTRACE_O_TRACESYSGOOD) == 0)
            ProcessMemory(tracer.thread)
                .write(report.address, int32_t{report.in_siginfo ? SIGTRAP : SIGTRAP << 8 | 0x7f});
        co_return seen;
    }
    tracee->in_call = std::exchange(tracee->entered, false);
    co_await request(PTRACE_SYSCALL, thread);
    co_return unseen;
}

// The tracer lets it go on.
Errand CallServer::let_go_on(Caller tracer, HostPid thread, Registers::Arguments arguments) {
    Tracee* tracee = &tracees_[raw(thread)];
    tracee->to_stop = false;
    // Without this option a stop at a call can't be told from a breakpoint.
    if ((tracee->options & PTRACE_O_TRACESYSGOOD) == 0) {
        const uint64_t wanted = tracee->options | PTRACE_O_TRACESYSGOOD;
        co_await request(PTRACE_SETOPTIONS, thread, 0, wanted);
    }
    if (std::exchange(tracees_[raw(thread)].entered, false)) {
        std::optional<CallInfo> info;
        {
            const Lent<CallInfo> lent(tracer.thread);
            const long got = co_await request(get_call_info, thread, sizeof(CallInfo), lent.address());
            if (got > 0) info = lent.read();
        }
        if (info && info->op == at_entry) {
            const std::vector<Made> pokes = enter(thread, *info);
            for (const Made& poke : pokes) co_await poke;
            tracees_[raw(thread)].in_call = true;
        }
    }
    tracee = &tracees_[raw(thread)];
    tracee->hidden = arguments[0] == PTRACE_CONT;
    arguments[0] = PTRACE_SYSCALL;
    const long result = co_await Made{SYS_ptrace, arguments};
    co_return result;
}

// The tracer lets it go for good. Where it stands the tracer may not have asked yet: behind a call whose
// result is the host's still, or in a creation, whose end it must wait for.
Errand CallServer::let_go(Caller tracer, HostPid thread, Registers::Arguments arguments) {
    constexpr int enough = 1000;  // it was killed, or its vfork waits for the child
    for (int tries = 0; tries < enough && tracees_[raw(thread)].in_call; ++tries) {
        std::optional<CallInfo> info;
        {
            const Lent<CallInfo> lent(tracer.thread);
            const long got = co_await request(get_call_info, thread, sizeof(CallInfo), lent.address());
            if (got == -ESRCH && tries == 0) co_return got;  // it runs, so it can't be let go
            if (got > 0) info = lent.read();
        }
        if (!info) {
            co_await Made{SYS_sched_yield, {}};
            continue;
        }
        if (info->op == at_exit) {
            const std::vector<Made> pokes = leave(thread, info->exit.result);
            for (const Made& poke : pokes) co_await poke;
            tracees_[raw(thread)].in_call = false;
        } else if (info->op != at_entry) {
            co_await request(PTRACE_SYSCALL, thread);
        } else {
            break;
        }
    }
    const long result = co_await Made{SYS_ptrace, arguments};
    if (result == 0) tracees_.erase(raw(thread));
    co_return result;
}

// The thread stands before a call: what is to be changed in it. Nothing: it traps, and is answered then.
template <class Info>
std::vector<Made> CallServer::enter(HostPid thread, const Info& info) {
    Trap trap{.id = Trap::stands, .thread = thread, .arch = info.arch};
    trap.number = static_cast<long>(info.entry.number);
    std::copy_n(info.entry.arguments, std::size(trap.arguments), trap.arguments);
    const Call* call = find_call(trap.number, trap.arguments);
    if (!call || !needs_change(*call) || is_marked(*call, trap.arguments)) return {};
    std::optional<Rewrite> prepared;
    prepared_ = &prepared;
    serve(trap);
    prepared_ = nullptr;
    if (!prepared || prepared->several() || prepared->number) {
        if (prepared) abandoned(*prepared);
        return {};
    }
    Rewrite& rewrite = *prepared;
    lay_paths(rewrite, thread, info.stack);
    const Registers::Arguments marked = with_mark(*call, rewrite.arguments);
    std::vector<Made> pokes;
    for (size_t i = 0; i < marked.size(); ++i)
        if (marked.at(i) != rewrite.original.at(i))
            pokes.push_back(
                request(PTRACE_POKEUSER, thread, Registers::place_of_argument.at(i), marked.at(i)));
    rewrite.content = Content::none;  // to exchange what it opens takes a trap
    tracees_[raw(thread)].pending = std::move(rewrite);
    return pokes;
}

// It stands behind it.
std::vector<Made> CallServer::leave(HostPid thread, long result) {
    Tracee& tracee = tracees_[raw(thread)];
    std::vector<Made> pokes;
    long seen = result;
    if (auto pending = std::exchange(tracee.pending, {})) {
        const Registers::Arguments marked = with_mark(*pending->call, pending->arguments);
        for (size_t i = 0; i < marked.size(); ++i)
            if (marked.at(i) != pending->original.at(i))
                pokes.push_back(request(PTRACE_POKEUSER, thread, Registers::place_of_argument.at(i),
                                        pending->original.at(i)));
        if (pending->asked())
            pokes.push_back(request(PTRACE_POKEUSER, thread, Registers::place_of_answered, answered_mark));
        if (is_restart(result))
            abandoned(*pending);
        else
            // "Once more" can't be had here; but nobody is shown the host's number.
            seen = finished(*pending, result).value_or(pending->call->result == Kind::none ? result : 0);
    } else if (result > 0) {
        const Registers::Arguments none{};
        const Call* call = find_call(tracee.number, none.data());
        if (call && call->way == Way::create) {
            const HostPid process = process_of_thread(thread);
            const auto child = HostPid(static_cast<int>(result));
            adopt_if_new(child, numbers_.namespace_of(process));
            // A thread that it has made keeps its number, and may have ended.
            const int number = translator_.thread_outward(raw(child), numbers_.namespace_of(process));
            if (number != 0) seen = number;
        }
    }
    if (seen != result)
        pokes.push_back(
            request(PTRACE_POKEUSER, thread, Registers::place_of_result, static_cast<uint64_t>(seen)));
    return pokes;
}

// Starts the errand, or goes on with it.
std::optional<long> CallServer::run_errand(Rewrite& rewrite, long result) {
    rewrite.errand->resume(result);
    if (!rewrite.errand->done()) {
        rewrite.number = rewrite.errand->next().number;
        rewrite.arguments = rewrite.errand->next().arguments;
        return {};
    }
    const auto seen = rewrite.errand->seen();
    rewrite.errand.reset();
    rewrite.number.reset();
    if (!seen) rewrite.arguments = translator_.inward(*rewrite.call, rewrite.caller, rewrite.original.data());
    return seen;
}

}  // namespace ctr::pidns
