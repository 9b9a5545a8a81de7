#include "pidns/monitor/server.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "pidns/monitor/memory.h"
#include "pidns/monitor/procfs.h"

namespace ctr::pidns {

namespace {

constexpr uint32_t native_arch = AUDIT_ARCH_X86_64;
constexpr long x32_bit = 0x40000000;

bool may_sleep(const Call& call, const uint64_t* arguments) {
    if (!call.sleeps) return false;
    if (call.number == SYS_wait4) return (arguments[2] & WNOHANG) == 0;
    if (call.number == SYS_waitid) return (arguments[3] & WNOHANG) == 0;
    return true;
}

// Something comes back that must be translated, or noted.
bool has_answer(const Call& call) {
    return call.result != Kind::none || call.writes.structure != Structure::none ||
           call.after != After::nothing;
}

bool counts(const Guard& guard, uint64_t address, const ProcessMemory& memory) {
    if (guard.size == 0) return true;
    const auto value = guard.size == sizeof(int16_t)
                           ? std::optional<int32_t>(memory.read<int16_t>(address + guard.offset))
                           : memory.read<int32_t>(address + guard.offset);
    return value && (*value == guard.value) != guard.differs;
}

}  // namespace

void CallServer::serve(const Trap& trap) {
    if (trap.arch != native_arch || (trap.number & x32_bit) != 0) return refuse_foreign(trap);
    raw_programs_.saw(trap);
    const Call* call = find_call(trap.number, trap.arguments);
    if (!call) {
        listener_.pass(trap);
        return;
    }
    if (serves_files_ && fetch_memory(trap, *call)) return;
    // What nearly all of these calls are told at once.
    std::optional<ProcFiles::Named> named;
    if (call->way == Way::path && files_.replace(trap)) return;
    const bool has_path = call->way == Way::path || call->way == Way::paths || call->way == Way::address;
    if (has_path) named = files_.named(trap, *call);
    if (has_path && !named && !tracee(trap.thread) && covers_.may_concern(trap, *call))
        return change_covered(trap, *call);
    const bool concerns_none = (has_path && !named) ||
                               (call->way == Way::message && !may_carry_numbers(trap, *call)) ||
                               (call->way == Way::dequeue && !is_signalfd(trap)) ||
                               (call->way == Way::reread && !files_.may_reread(trap));
    if (concerns_none) {
        listener_.pass(trap);
        return;
    }
    if (awaits_creator(trap)) return;
    Caller caller{trap.thread, process_of(trap)};
    if (caller.process == HostPid::none) {
        listener_.answer(trap,
                         -EPERM);  // killed meanwhile, and nobody hears this; or hidden from us (hidepid)
        return;
    }
    caller.space = numbers_.namespace_of(caller.process);
    if (watched_.contains(raw(caller.process)) && !tracer_.holds(trap.thread) &&
        !tracees_.contains(raw(trap.thread)))
        tracer_.hold(caller.process);
    switch (call->way) {
        case Way::answer: return answer(trap, *call, caller);
        case Way::create: return create_process(trap, *call, caller);
        case Way::enter: return enter_namespace(trap, *call, caller);
        case Way::observe: return observe_handler(trap, caller);
        case Way::mount: return mount(trap, *call, caller);
        case Way::trace: return trace(trap, *call, caller);
        case Way::rewrite:
        case Way::send: return rewrite(trap, *call, caller);
        case Way::path:
        case Way::paths:
        case Way::address: return follow(trap, *call, caller, *named);
        case Way::message: return message(trap, *call, caller);
        case Way::dequeue: return dequeue(trap, *call, caller);
        case Way::user: return make_for_user(trap, *call, caller);
        case Way::lock:
        case Way::list:
        case Way::relate:
        case Way::reread: break;
    }
    if (!answer_file(trap, *call, caller)) listener_.pass(trap);
}

bool CallServer::answer_file(const Trap& trap, const Call& call, const Caller& caller) {
    switch (call.way) {
        case Way::reread: return files_.reread(trap, caller);
        case Way::relate: return files_.relate(trap, caller);
        case Way::lock: return false;
        default:
            return call.number == SYS_getcwd ? files_.name_directory(trap, caller) : list(trap, call, caller);
    }
}

bool CallServer::list(const Trap& trap, const Call& call, const Caller& caller) {
    const auto listed = files_.list(trap, caller);
    if (!listed) return false;
    if (!listed->position) {
        listener_.answer(trap, listed->result);
        return true;
    }
    Rewrite rewrite = as_made(trap, call, caller);
    rewrite.number = SYS_lseek;
    rewrite.arguments[1] = static_cast<uint64_t>(*listed->position);
    rewrite.arguments[2] = SEEK_SET;
    rewrite.written = listed->result;
    begin(trap, std::move(rewrite));
    return true;
}

void CallServer::tidy() {
    files_.forget_unused();
    nested_.forget_gone();
    raw_programs_.tidy();
    const auto is_gone = [](const auto& entry) { return kill(entry.first, 0) != 0 && errno == ESRCH; };
    std::erase_if(fetched_, is_gone);
    awaiting_.clear();
    std::erase_if(reaped_inits_,
                  [&](const auto& entry) { return !numbers_.is_process(entry.second.reaper); });
    std::erase_if(tracees_, is_gone);  // killed together with its tracer
    std::erase_if(spare_, [&](const auto& entry) { return !numbers_.is_process(HostPid(entry.first)); });
    std::erase_if(sent_for_, [&](const auto& entry) { return !numbers_.is_process(HostPid(entry.first)); });
    std::erase_if(watched_, [&](int process) { return !numbers_.is_process(HostPid(process)); });
}

// Code inside registers the children that it makes, a moment after they begin to run. A child of who takes
// in orphans is given that moment: it can't be told from an orphan. Not for ever: a creator may be stopped in
// between.
bool CallServer::awaits_creator(const Trap& trap) {
    if (trap.id == Trap::stands || numbers_.is_process(trap.thread)) return false;
    const HostPid process = process_of_thread(trap.thread);
    if (process == HostPid::none || numbers_.is_process(process) || !numbers_.is_promised(process))
        return false;
    constexpr int often = 20;
    if (++awaiting_[trap.id] > often) return false;
    postponed_.push_back(trap);
    return true;
}

// none: it is gone meanwhile.
HostPid CallServer::process_of(const Trap& trap) {
    if (numbers_.is_process(trap.thread)) return trap.thread;
    const HostPid process = process_of_thread(trap.thread);
    if (process == HostPid::none || !listener_.valid(trap)) return HostPid::none;
    if (!numbers_.is_process(process)) {
        const HostPid parent = parent_of(process);
        const NamespaceId parents = numbers_.namespace_of(parent);
        numbers_.adopt(process, parents == NamespaceId::none ? NamespaceId::root : parents, parent);
    }
    return process;
}

void CallServer::answer(const Trap& trap, const Call& call, const Caller& caller) {
    if (call.number == SYS_prctl)
        return trap.arguments[0] == PR_SET_DUMPABLE ? close_process(trap, caller)
                                                    : answer_guest(trap, call, caller);
    const auto visible = [&](int host) { return translator_.outward(host, caller.space); };
    const auto own_or_named = [&] {
        const auto number = static_cast<int>(trap.arguments[0]);
        return number == 0 ? raw(caller.process) : translator_.process(caller.space, number);
    };
    const auto visible_or_errno = [&](int host) -> long { return host < 0 ? -errno : visible(host); };
    const auto result = [&]() -> long {
        switch (call.number) {
            case SYS_getpid: return visible(raw(caller.process));
            case SYS_gettid:
                return caller.thread == caller.process ? visible(raw(caller.process)) : raw(caller.thread);
            case SYS_getppid: return visible(raw(parent_of(caller.process)));
            case SYS_getpgrp: return visible_or_errno(getpgid(raw(caller.process)));
            case SYS_getpgid: return visible_or_errno(getpgid(own_or_named()));
            case SYS_getsid: return visible_or_errno(getsid(own_or_named()));
            case SYS_userfaultfd:
            case SYS_fanotify_init:
            case SYS_ioctl: return -EPERM;  // of a userfaultfd
            default: return -ENOSYS;        // io_uring_setup
        }
    };
    listener_.answer(trap, result());
}

// A refusal, which the program may take note of, rather than the host's numbers from then on.
void CallServer::close_process(const Trap& trap, const Caller& caller) {
    if (may_open_closed(caller.process)) {
        listener_.pass(trap);
        return;
    }
    warn_once(caller.process, "dumpable",
              "its prctl(PR_SET_DUMPABLE, 0) gets EPERM: it would be closed to the layer too, which has no "
              "privilege here");
    listener_.answer(trap, -EPERM);
}

Rewrite CallServer::as_made(const Trap& trap, const Call& call, const Caller& caller) {
    Rewrite rewrite{.call = &call, .caller = caller};
    std::copy_n(trap.arguments, rewrite.original.size(), rewrite.original.begin());
    rewrite.arguments = rewrite.original;
    return rewrite;
}

void CallServer::rewrite(const Trap& trap, const Call& call, const Caller& caller) {
    Rewrite rewrite = as_made(trap, call, caller);
    rewrite.arguments = translator_.inward(call, caller, trap.arguments);
    rewrite.sleeps = may_sleep(call, trap.arguments);
    if (!put_numbers(trap, rewrite)) {
        listener_.answer(trap, -EPERM);  // killed meanwhile, or its memory is closed to us (not dumpable)
        return;
    }
    if (call.way == Way::send) {
        HostPid waiting_init = HostPid::none;
        if (const auto result = sender_.prepare(rewrite, waiting_init)) {
            listener_.answer(trap, *result);
            return;
        }
        if (waiting_init != HostPid::none) {
            watch(waiting_init, true);
            tracer_.hold(waiting_init);
        }
        put_sender(rewrite);
    } else if (!rewrite.changed() && !has_answer(call)) {
        listener_.pass(trap);
        return;
    }
    begin(trap, std::move(rewrite));
}

void CallServer::begin(const Trap& trap, Rewrite rewrite) {
    if (trap.id == Trap::stands) {
        *prepared_ = std::move(rewrite);
        return;
    }
    if (awaits_tracer(trap)) return abandoned(rewrite);
    const int error = rewrite.call->way == Way::create ? tracer_.create(listener_, trap, rewrite)
                                                       : tracer_.rewrite(listener_, trap, rewrite);
    if (error == 0) return;
    abandoned(rewrite);
    if (error == EAGAIN)
        postponed_.push_back(trap);
    else if (listener_.valid(trap))  // else it was killed meanwhile
        refuse(trap, rewrite, error);
}

void CallServer::serve_postponed() {
    for (const Trap& trap : std::exchange(postponed_, {}))
        if (listener_.valid(trap)) serve(trap);
    std::vector<Trap> left;
    std::erase_if(parked_, [&](const auto& parked) {
        const auto traced = tracees_.find(parked.first);
        const bool waits = traced != tracees_.end() && traced->second.waits_for_tracer();
        if (waits && listener_.valid(parked.second)) return false;
        left.push_back(parked.second);
        return true;
    });
    for (const Trap& trap : left)
        if (listener_.valid(trap)) serve(trap);
}

// A thread that can't be traced. What needs no result of its own can be done in its name.
void CallServer::refuse(const Trap& trap, const Rewrite& rewrite, int error) {
    const Caller& caller = rewrite.caller;
    if (rewrite.call->way == Way::send && !rewrite.broadcast) {
        sent_for_[raw(SignalSender::target_of(rewrite))] = caller.process;
        listener_.answer(trap, sender_.send_for(rewrite));
        return;
    }
    if (rewrite.may_be_covered) {
        listener_.pass(trap);
        return;
    }
    warn_once(caller.process, rewrite.call->name,
              "its " + std::string(rewrite.call->name) + " needs ptrace, which says " + errno_name(error) +
                  ": it is being traced inside the container, or isn't dumpable; it gets EPERM");
    listener_.answer(trap, -EPERM);
}

// A process whose signals pass through us: its calls do as well.
void CallServer::watch(HostPid process, bool watched) {
    if (watched) {
        watched_.insert(raw(process));
        numbers_.attention().set(process, Attention::handlers);
    } else if (watched_.erase(raw(process)) > 0) {
        numbers_.attention().clear(process, Attention::handlers);
    }
}

// A handler without SA_RESTART: its signal would end a call that waits for us. One with SA_SIGINFO gets to
// see the sender's number. See tracer.h.
void CallServer::observe_handler(const Trap& trap, const Caller& caller) {
    struct KernelAction {  // struct sigaction of the kernel, which isn't the C library's
        uint64_t handler;
        uint64_t flags;
    };
    const auto action = read_value<KernelAction>(trap.thread, trap.arguments[1]);
    if (action && action->handler > reinterpret_cast<uintptr_t>(SIG_IGN) &&
        ((action->flags & SA_RESTART) == 0 || (action->flags & SA_SIGINFO) != 0)) {
        watch(caller.process, true);
        if (!tracees_.contains(raw(trap.thread))) tracer_.hold(caller.process);
    }
    listener_.pass(trap);
}

// The table describes x86-64 calls only: a program of another kind would see the host's numbers.
void CallServer::refuse_foreign(const Trap& trap) {
    const HostPid process = process_of_thread(trap.thread);
    if (process != HostPid::none && listener_.valid(trap)) {
        warn_once(process, "foreign",
                  std::string("it was killed, because it makes ") +
                      (trap.arch == AUDIT_ARCH_I386 ? "32-bit (i386)" : "x32") +
                      " system calls, which this numbering doesn't translate; --pidns=kernel runs it");
        kill(raw(process), SIGKILL);
    }
    listener_.answer(trap, -ENOSYS);
}

// A program can ask for refusals as often as it likes; each kind is worth one line, and all together a page.
void CallServer::warn_once(HostPid process, const std::string& about, const std::string& text) {
    constexpr size_t page = 100;
    const std::string who = std::to_string(raw(process));
    if (warned_.size() >= page || !warned_.insert(who + ' ' + about).second) return;
    const VirtPid number = numbers_.number_of(process, numbers_.namespace_of(process));
    warn_("process " + std::to_string(raw(number)) + " (host " + who + "): " + text);
}

// The init of a namespace takes no signal from inside that it has no handler for. One that it had blocked was
// sent all the same, because it might be waited for; then init is held (see rewrite), and here is where the
// signal ends.
bool CallServer::drops(HostPid thread, int signal, const siginfo_t& info) const {
    const NamespaceId space = numbers_.namespace_of(thread);
    if (signal == SIGSTOP || numbers_.number_of(thread, space) != VirtPid::init) return false;
    const auto sets = signal_sets(thread);
    if (!sets || ((sets->caught >> (signal - 1)) & 1) != 0) return false;
    return info.si_code <= 0 && numbers_.knows(HostPid(info.si_pid));
}

bool CallServer::delivers(HostPid thread, int signal) {
    siginfo_t info{};
    if (ptrace(PTRACE_GETSIGINFO, raw(thread), 0L, &info) != 0) return true;
    if (drops(thread, signal, info)) return false;
    if (translate_arrival(info, process_of_thread(thread))) ptrace(PTRACE_SETSIGINFO, raw(thread), 0L, &info);
    return true;
}

// What arrives at a process. False: nothing is to be changed.
bool CallServer::translate_arrival(siginfo_t& info, HostPid process) const {
    if (!names_process(info.si_signo, info.si_code, info.si_pid, info.si_uid)) return false;
    const auto sender = sent_for_.find(raw(process));
    if (info.si_pid == getpid() && sender != sent_for_.end()) info.si_pid = raw(sender->second);
    info.si_pid = translator_.outward(info.si_pid, numbers_.namespace_of(process));
    return true;
}

void CallServer::follow(const Trap& trap, const Call& call, const Caller& caller,
                        const ProcFiles::Named& named) {
    ProcFiles::Verdict verdict = files_.follow(trap, call, caller, named);
    if (verdict.next == ProcFiles::Next::proceed) listener_.pass(trap);
    if (verdict.next != ProcFiles::Next::remake) return;
    Rewrite rewrite = as_made(trap, call, caller);
    if (!verdict.path.empty()) rewrite.path = std::move(verdict.path);
    rewrite.content = verdict.replaces ? verdict.content : Content::none;
    rewrite.may_take_members = verdict.may_take_members;
    rewrite.link = verdict.translates;
    rewrite.sleeps = call.sleeps;
    rewrite.path_argument = call.path.path;
    if (!verdict.second_path.empty()) rewrite.second_path = std::move(verdict.second_path);
    rewrite.second_path_argument = call.second_path.path;
    if (call.way == Way::address) rewrite.arguments.at(call.path.path + 1U) = rewrite.path->size();
    if (verdict.describes) describe_by_path(rewrite);
    begin(trap, std::move(rewrite));
}

// fstat(fd, to) becomes newfstatat(.., path, to, 0), and its like the same without AT_EMPTY_PATH.
void CallServer::describe_by_path(Rewrite& rewrite) {
    const long number = rewrite.call->number;
    rewrite.path_argument = 1;
    if (number == SYS_fstat) {
        rewrite.number = SYS_newfstatat;
        rewrite.arguments = {0, 0, rewrite.original[1], 0, 0, 0};
    } else {
        const unsigned flags = number == SYS_statx ? 2 : 3;
        rewrite.arguments.at(flags) &= ~uint64_t{AT_EMPTY_PATH};
    }
}

std::optional<long> CallServer::followed(Rewrite& rewrite, long result) {
    take_back(rewrite);
    if (result < 0) return result;
    if (rewrite.link) return files_.linked(rewrite.caller, *rewrite.call, rewrite.original, result);
    if (rewrite.may_take_members && files_.written(rewrite.caller, static_cast<int>(result)) != Kind::none)
        tracer_.follow_calls(rewrite.caller.process);
    const bool replaced =
        rewrite.content != Content::none &&
        files_.opened(rewrite.caller, rewrite.original, rewrite.content, static_cast<int>(result));
    if (!replaced) return result;
    rewrite.traps_again = true;
    return {};
}

void CallServer::begun(Rewrite& rewrite) {
    run_errand(rewrite, 0);
}

std::optional<long> CallServer::finished(Rewrite& rewrite, long result) {
    const Call& call = *rewrite.call;
    if (rewrite.written) {
        take_back(rewrite);
        return result < 0 ? result : *rewrite.written;
    }
    if (rewrite.may_be_covered) return changed(rewrite, result);
    if (rewrite.errand) return run_errand(rewrite, result);
    if (rewrite.broadcast) return sender_.next(rewrite, result);
    if (call.way == Way::trace) return traced(rewrite, result);
    if (call.way == Way::mount) return mounted(rewrite, result);
    if (call.way == Way::path) return followed(rewrite, result);
    const bool failed = result < 0 && !(call.result == Kind::owner && result != -EBADF);
    if (failed) {
        abandoned(rewrite);
        return result;
    }
    take_back(rewrite);
    if (call.way == Way::create) {
        if (rewrite.child == VirtPid::none) return -EAGAIN;  // it could not be numbered, and was killed
        if (rewrite.parent_tid != 0)
            ProcessMemory(rewrite.caller.thread)
                .write<int32_t>(rewrite.parent_tid, int32_t{raw(rewrite.child)});
        return raw(rewrite.child);
    }
    update_table(rewrite);
    if (call.writes.structure == Structure::siginfo) {
        const HostPid process = translate_siginfo(rewrite);
        return call.after == After::reap ? reported(rewrite, process, false, result) : result;
    }
    if (call.way == Way::message) translate_messages(rewrite, result);
    if (call.way == Way::dequeue) translate_signals(rewrite, result);
    translate_memory(rewrite);
    if (call.after == After::reap) return reported(rewrite, HostPid(static_cast<int>(result)), true, result);
    return call.result == Kind::none
               ? result
               : translator_.outward(call.result, static_cast<int>(result), 0, rewrite.caller.space);
}

// A wait has found a child: what its number is, after which that may end. trusted: the child's number comes
// from the kernel itself, not from memory that the program may write to.
std::optional<long> CallServer::reported(Rewrite& rewrite, HostPid child, bool trusted, long result) {
    if (child == HostPid::none) return result;
    const auto report = report_of(rewrite);
    if (const HostPid thread = stopped_tracee(rewrite.caller, report, child); thread != HostPid::none) {
        adopt_if_new(thread, rewrite.caller.space);
        const int seen = translator_.thread_outward(raw(thread), rewrite.caller.space);
        rewrite.errand.emplace(look_at(rewrite.caller, thread, report.value_or(Report{}),
                                       rewrite.call->result == Kind::none ? result : seen, std::nullopt));
        return run_errand(rewrite, 0);
    }
    // A child that its creator hid from the layer has a number all the same, while it is being reported.
    if (trusted) adopt_if_new(child, rewrite.caller.space);
    const bool remains = nested_.is_remains(child);
    int number = translator_.thread_outward(raw(child), rewrite.caller.space);
    // A thread that ended, of a program that the caller traces: it's gone, and kept the kernel's number.
    if (trusted && number == 0 && !numbers_.knows(child)) number = raw(child);
    const NamespaceId ended = remains ? NamespaceId::none : nested_.ended_by(child);
    if (nested_.goes_on(ended)) {
        rewrite.errand.emplace(await_end(child, ended, rewrite.call->result == Kind::none ? result : number));
        return run_errand(rewrite, 0);
    }
    numbers_.reported(child);
    if (remains) {  // once more: nobody is to see these
        if (rewrite.call->number != SYS_waitid) return {};
        if (rewrite.resumed)
            rewrite.arguments = *std::exchange(rewrite.resumed, {});
        else if ((rewrite.arguments[3] & WNOWAIT) != 0) {
            rewrite.resumed = rewrite.arguments;
            rewrite.arguments[0] = P_PID;
            rewrite.arguments[1] = static_cast<uint64_t>(raw(child));
            rewrite.arguments[3] &= ~uint64_t{WNOWAIT};
        }
        return {};
    }
    return rewrite.call->result == Kind::none ? result : number;
}

// The end of a namespace's init is the last thing that is seen of the namespace.
Errand CallServer::await_end(HostPid init, NamespaceId space, long seen) {
    constexpr int enough = 1000;  // somebody hangs in the kernel; its end is still sure
    const Made pause{SYS_sched_yield, {}};
    for (int tries = 0; tries < enough && nested_.goes_on(space); ++tries) co_await pause;
    numbers_.reported(init);
    co_return seen;
}

void CallServer::update_table(const Rewrite& rewrite) {
    const Caller& caller = rewrite.caller;
    switch (rewrite.call->after) {
        case After::join_group: {
            const auto target = static_cast<int>(rewrite.arguments[0]);
            return numbers_.refresh(target == 0 ? caller.process : HostPid(target));
        }
        case After::lead_session: return numbers_.refresh(caller.process);
        case After::enter_namespace: return nested_.set_for_children(caller, rewrite.space);
        default: return;
    }
}

void CallServer::abandoned(Rewrite& rewrite) {
    if (!rewrite.created) {
        numbers_.give_back(std::exchange(rewrite.reserved, EntryId::none), rewrite.caller.process);
        if (std::exchange(rewrite.made_space, false)) spare_[raw(rewrite.caller.process)] = rewrite.space;
    }
    take_back(rewrite);
}

// The kernel reads numbers from the program's memory: the host's lie there for the duration of the call.
bool CallServer::put_numbers(const Trap& trap, Rewrite& rewrite) {
    const Memory& reads = rewrite.call->reads;
    const uint64_t address = trap.arguments[reads.argument];
    if (reads.structure == Structure::none || address == 0) return true;
    const ProcessMemory memory(trap.thread);
    if (!memory || !listener_.valid(trap)) return false;
    for (const Field& field : fields_of(reads.structure)) {
        const auto number = memory.read<int32_t>(address + field.offset);
        if (!number) return true;  // the kernel says EFAULT
        if (!counts(field.guard, address, memory)) continue;
        const int selector = memory.read<int32_t>(address + field.selector).value_or(0);
        const int host = translator_.inward(field.kind, rewrite.caller, *number, selector);
        if (host == *number) continue;
        rewrite.patches.push_back({.address = address + field.offset,
                                   .before = static_cast<uint32_t>(*number),
                                   .after = static_cast<uint32_t>(host),
                                   .size = sizeof host});
    }
    if (apply_all(rewrite.patches, memory)) return true;
    rewrite.patches.clear();
    return false;
}

// The siginfo_t that a sender supplies. One that looks as if the kernel had filled it in (it may send that to
// itself only) will be translated when it arrives; any other number stays as it is, but nobody can be named
// who can't be seen from where the signal goes: that is 0 there, as in send_signal_locked() of
// kernel/signal.c.
void CallServer::put_sender(Rewrite& rewrite) const {
    const uint64_t info = SignalSender::info_of(rewrite);
    if (info == 0) return;
    const ProcessMemory memory(rewrite.caller.thread);
    const auto signal = memory.read<int32_t>(info + offsetof(siginfo_t, si_signo));
    const auto code = memory.read<int32_t>(info + offsetof(siginfo_t, si_code));
    const uint64_t field = info + offsetof(siginfo_t, si_pid);
    const auto number = memory.read<int32_t>(field);
    if (!signal || !code || !number || *code == SI_TIMER || *code == SI_SIGIO) return;
    const NamespaceId space = numbers_.namespace_of(SignalSender::target_of(rewrite));
    const bool visible = numbers_.number_of(rewrite.caller.process, space) != VirtPid::none;
    int supplied = visible ? *number : 0;
    if (has_kernel_pid(*signal, *code))
        supplied = translator_.inward(Kind::process, rewrite.caller, *number, 0);
    if (supplied == *number) return;
    const Patch patch{.address = field,
                      .before = static_cast<uint32_t>(*number),
                      .after = static_cast<uint32_t>(supplied),
                      .size = sizeof supplied};
    if (patch.apply(memory)) rewrite.patches.push_back(patch);
}

void CallServer::take_back(Rewrite& rewrite) {
    if (rewrite.patches.empty() && !rewrite.scratch) return;
    const ProcessMemory memory(rewrite.caller.thread);
    for (const Patch& patch : std::exchange(rewrite.patches, {})) patch.revert(memory);
    if (const auto scratch = std::exchange(rewrite.scratch, {}))
        memory.write_bytes(scratch->address, scratch->before);
}

// Returns the process that a siginfo_t names; none: none that the kernel has written there.
HostPid CallServer::translate_siginfo(const Rewrite& rewrite) {
    const uint64_t info = rewrite.original[rewrite.call->writes.argument];
    if (info == 0) return HostPid::none;
    const ProcessMemory memory(rewrite.caller.thread);
    const auto signal = memory.read<int32_t>(info + offsetof(siginfo_t, si_signo));
    const auto code = memory.read<int32_t>(info + offsetof(siginfo_t, si_code));
    const uint64_t field = info + offsetof(siginfo_t, si_pid);
    const auto host = memory.read<int32_t>(field);
    const auto uid = memory.read<uint32_t>(info + offsetof(siginfo_t, si_uid));
    // waitid with WNOHANG, and nobody has changed state: 0.
    if (!signal || !code || !host || !uid || !names_process(*signal, *code, *host, *uid))
        return HostPid::none;
    memory.write(field, int32_t{translator_.outward(*host, rewrite.caller.space)});
    return HostPid(*host);
}

void CallServer::translate_memory(const Rewrite& rewrite) {
    const Memory& writes = rewrite.call->writes;
    const uint64_t address = rewrite.original[writes.argument];
    if (writes.structure == Structure::none || address == 0) return;
    const ProcessMemory memory(rewrite.caller.thread);
    // getsockopt has written as much as there was room for.
    if (writes.structure == Structure::credentials &&
        memory.read<socklen_t>(rewrite.original[4]).value_or(0) < sizeof(int32_t))
        return;
    for (const Field& field : fields_of(writes.structure)) {
        const auto host = memory.read<int32_t>(address + field.offset);
        if (!host || !counts(field.guard, address, memory)) continue;
        const int selector = memory.read<int32_t>(address + field.selector).value_or(0);
        const int number = translator_.outward(field.kind, *host, selector, rewrite.caller.space);
        if (number != *host) memory.write(address + field.offset, int32_t{number});
    }
}

}  // namespace ctr::pidns
