#include "pidns/monitor/tracer.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <iterator>
#include <utility>

#include "pidns/monitor/procfs.h"
#include "pidns/surface/mark.h"

namespace ctr::pidns {

namespace {

// Should the monitor be killed, what it holds stopped must not stay so.
// An exec ends what we know of a thread by its number: another thread of the process may bear it then.
// Creations are announced also to who follows another call of the thread: it may come to be held meanwhile.
constexpr long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK |
                         PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;

int event_of(int status) {
    return static_cast<int>(static_cast<unsigned>(status) >> 16);
}
bool is_call_stop(int status) {
    return event_of(status) == 0 && WSTOPSIG(status) == (SIGTRAP | 0x80);
}
bool is_interruption(int status) {
    return event_of(status) == PTRACE_EVENT_STOP && WSTOPSIG(status) == SIGTRAP;
}
bool is_job_control_stop(int status) {
    return event_of(status) == PTRACE_EVENT_STOP && WSTOPSIG(status) != SIGTRAP;
}
bool is_creation(int status) {
    const int event = event_of(status);
    return event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE;
}

// The signal that a stop announces and that detaching must deliver: only a signal-delivery-stop has one.
int signal_of(int status) {
    return event_of(status) == 0 && !is_call_stop(status) ? WSTOPSIG(status) : 0;
}

// Which of the two a call stop is.
bool is_entry(int thread) {
    __ptrace_syscall_info info{};
    return ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) > 0 &&
           info.op == PTRACE_SYSCALL_INFO_ENTRY;
}

void resume_to_call(int thread) {
    ptrace(PTRACE_SYSCALL, thread, 0L, 0L);
}

void set_marked(Registers& registers, const Rewrite& rewrite) {
    registers.set_arguments(with_mark(*rewrite.call, rewrite.arguments));
}

// The x86-64 ABI's red zone, below which a stack is nobody's; but what lies there may be a neighbour's (Go),
// so the bytes are put back afterwards.
constexpr uint64_t red_zone = 128;

}  // namespace

Registers::Arguments with_mark(const Call& call, Registers::Arguments arguments) {
    if (call.all_used)
        arguments[0] = upper_mark | static_cast<uint32_t>(arguments[0]);
    else
        arguments[5] = mark;
    return arguments;
}

std::optional<Scratch> lay_down(const ProcessMemory& memory, uint64_t stack, const std::string& bytes) {
    const uint64_t address = stack - red_zone - bytes.size() - 1;
    auto before = memory.read_exactly(address, bytes.size() + 1);
    if (!before || !memory.write_bytes(address, bytes + '\0')) return {};
    return Scratch{address, std::move(*before)};
}

void lay_paths(Rewrite& rewrite, HostPid thread, uint64_t stack) {
    if (!rewrite.path && !rewrite.second_path) return;
    const std::string first = rewrite.path.value_or("");
    const std::string bytes = rewrite.second_path ? first + '\0' + *rewrite.second_path : first;
    rewrite.scratch = lay_down(ProcessMemory(thread), stack, bytes);
    // Without room the kernel finds no path (EFAULT) rather than the host's process.
    const auto place = [&](size_t at) { return rewrite.scratch ? rewrite.scratch->address + at : 0; };
    if (rewrite.path) rewrite.arguments.at(rewrite.path_argument) = place(0);
    if (rewrite.second_path) rewrite.arguments.at(rewrite.second_path_argument) = place(first.size() + 1);
}

int Tracer::rewrite(const Listener& listener, const Trap& trap, Rewrite& rewrite) {
    if (const int error = start(trap, rewrite, Phase::stopping)) return error;
    if (ptrace(PTRACE_INTERRUPT, raw(trap.thread), 0L, 0L) != 0) {
        // Not ours after all: what we knew was of another thread of that number. Take it up anew.
        Trace& stale = trace_of(raw(trap.thread));
        rewrite = std::move(stale.rewrite);
        forget(stale);
        if (const int error = start(trap, rewrite, Phase::stopping)) return error;
        ptrace(PTRACE_INTERRUPT, raw(trap.thread), 0L, 0L);
    }
    // Whatever handlers the program has, this result restarts the call. Without WAIT_KILLABLE_RECV (before
    // Linux 5.19) the interruption has already ended the notification, and the first stop shows another
    // restart.
    listener.answer(trap, -restart_no_interrupt);
    return 0;
}

int Tracer::create(const Listener& listener, const Trap& trap, Rewrite& rewrite) {
    if (rewrite.changed()) return this->rewrite(listener, trap, rewrite);
    if (const int error = start(trap, rewrite, Phase::creating)) return error;
    listener.proceed(trap);
    return 0;
}

bool Tracer::hold_thread(int thread) {
    if (const auto found = traces_.find(thread); found != traces_.end()) {
        found->second.held = true;
        return false;
    }
    if (seize(HostPid(thread), options, alarm_) != 0) return false;
    trace_of(thread).held = true;
    return true;
}

// All threads: an exec by one that isn't held would take the leader's number without a word. Threads that a
// held one makes are held from the beginning, so this ends when a look finds no other.
void Tracer::hold(HostPid process) {
    for (bool found = true; found;) {
        found = false;
        for (const HostPid thread : threads_of(process)) found = hold_thread(raw(thread)) || found;
    }
}

// A thread that runs must stop once to be resumed with call stops.
void Tracer::follow_calls(HostPid process) {
    hold(process);
    for (const HostPid thread : threads_of(process)) {
        const auto found = traces_.find(raw(thread));
        if (found == traces_.end() || std::exchange(found->second.calls, true)) continue;
        if (found->second.phase == Phase::idle) ptrace(PTRACE_INTERRUPT, raw(thread), 0L, 0L);
    }
}

// Each thread takes notice when it stops next.
void Tracer::leave_calls(HostPid process, bool keep_holding) {
    for (const HostPid thread : threads_of(process)) {
        const auto found = traces_.find(raw(thread));
        if (found == traces_.end() || !std::exchange(found->second.calls, false)) continue;
        found->second.held = keep_holding;
    }
}

bool Tracer::holds(HostPid thread) const {
    const auto found = traces_.find(raw(thread));
    return found != traces_.end() && found->second.held;
}

int Tracer::start(const Trap& trap, Rewrite& rewrite, Phase phase) {
    const auto old = traces_.find(raw(trap.thread));
    bool seized = old != traces_.end() && old->second.phase == Phase::idle;
    if (old != traces_.end() && !seized) {
        // A creation that failed, and its thread made another call before we took notice: still ours, says
        // EPERM below. Or the trace was of a thread of the same number that vanished without a word (the
        // leader of a group in which another thread made an exec).
        rewriter_.abandoned(old->second.rewrite);
        expect_child(old->second, false);
    }
    if (!seized) {
        const int error = seize(trap.thread, options, alarm_);
        seized = error == 0 || (error == EPERM && old != traces_.end());
        if (!seized) {
            if (old != traces_.end()) forget(old->second);
            return error;
        }
        if (error == 0 && old != traces_.end()) old->second.held = old->second.calls = false;
    }
    Trace& trace = trace_of(raw(trap.thread));
    trace.rewrite = std::move(rewrite);
    trace.interrupted = false;
    trace.phase = phase;
    expect_child(trace, trace.rewrite.call->way == Way::create);
    await(trace, phase != Phase::creating || creations_succeed_);
    return 0;
}

void Tracer::stopped(HostPid thread, int status) {
    if (WIFSTOPPED(status) && event_of(status) == PTRACE_EVENT_EXEC) return at_exec(thread);
    const auto found = traces_.find(raw(thread));
    if (found == traces_.end()) {
        if (WIFSTOPPED(status))
            child_stopped(raw(thread));
        else
            children_.erase(raw(thread));
        return;
    }
    Trace& trace = found->second;
    if (!WIFSTOPPED(status)) {
        // There may be a child, for which it was reserved: it is found by that (orphaned).
        if (trace.child_expected) trace.rewrite.reserved = EntryId::none;
        if (trace.phase != Phase::idle && trace.phase != Phase::preparing) rewriter_.abandoned(trace.rewrite);
        return forget(trace);
    }
    switch (trace.phase) {
        case Phase::idle: return while_idle(trace, status);
        case Phase::stopping: return at_first_stop(trace, status);
        case Phase::entering: return at_entry(trace, status);
        case Phase::creating: return at_creation(trace, status);
        case Phase::running: return at_exit(trace, status);
        case Phase::preparing: return while_preparing(trace, status);
    }
}

void Tracer::give_up_waiting() {
    children_awaited_ = false;
    std::erase_if(children_, [](const auto& child) { return kill(child.first, 0) != 0 && errno == ESRCH; });
    for (auto& [thread, trace] : traces_) {
        await(trace, false);
        if (trace.phase != Phase::creating) continue;
        creations_succeed_ = false;
        ptrace(PTRACE_INTERRUPT, thread, 0L, 0L);
    }
}

// A creator and its child don't wait for each other, so the child may be waited for first.
HostPid Tracer::next_to_stop() const {
    if (awaited_ > 1 || children_.size() > 1) return HostPid::none;
    const bool child_stops = children_awaited_ && !children_.empty() && children_.begin()->second.announced;
    return HostPid(child_stops ? children_.begin()->first : static_cast<int>(awaited_sum_));
}

void Tracer::at_first_stop(Trace& trace, int status) {
    // The call that trapped ends, and this stop has used up the interruption.
    if (trace.calls && is_call_stop(status)) {
        ptrace(PTRACE_INTERRUPT, trace.thread, 0L, 0L);
        return resume_to_call(trace.thread);
    }
    Rewrite& rewrite = trace.rewrite;
    Registers registers;
    const bool ours = is_interruption(status) && registers.load(rewrite.caller.thread) &&
                      registers.call() == rewrite.call->number && is_restart(registers.result());
    // Else a signal came first, or the thread is being stopped by job control: nothing was changed yet.
    if (!ours) return give_up(trace, status);
    lay_paths(rewrite, rewrite.caller.thread, registers.stack());
    if (rewrite.errand) rewriter_.begun(rewrite);
    set_marked(registers, rewrite);
    registers.set_result(-restart_no_interrupt);
    if (rewrite.several()) block_signals(trace);
    if (rewrite.number) registers.set_call(*rewrite.number);
    registers.store(rewrite.caller.thread);
    trace.phase = Phase::entering;
    resume_to_call(trace.thread);
}

void Tracer::block_signals(Trace& trace) {
    if (std::exchange(trace.blocked, true)) return;
    const uint64_t all = ~uint64_t{0};
    ptrace(PTRACE_GETSIGMASK, trace.thread, sizeof all, &trace.signal_mask);
    ptrace(PTRACE_SETSIGMASK, trace.thread, sizeof all, &all);
}

void Tracer::unblock_signals(Trace& trace) {
    if (!std::exchange(trace.blocked, false)) return;
    ptrace(PTRACE_SETSIGMASK, trace.thread, sizeof trace.signal_mask, &trace.signal_mask);
}

void Tracer::at_entry(Trace& trace, int status) {
    if (!is_call_stop(status)) return give_up(trace, status);
    trace.phase = Phase::running;
    await(trace, !trace.rewrite.sleeps || trace.rewrite.several());
    resume_to_call(trace.thread);
}

void Tracer::at_creation(Trace& trace, int status) {
    if (!is_creation(status)) return give_up(trace, status);
    announce(trace, true);
    creations_succeed_ = children_awaited_ = true;
    trace.phase = Phase::running;
    await(trace, !trace.rewrite.sleeps);
    resume_to_call(trace.thread);
}

void Tracer::at_exit(Trace& trace, int status) {
    if (is_creation(status)) return at_creation(trace, status);
    Rewrite& rewrite = trace.rewrite;
    Registers registers;
    if (!is_call_stop(status) || !registers.load(rewrite.caller.thread) || is_restart(registers.result())) {
        trace.interrupted = true;
        return give_up(trace, status);
    }
    const std::optional<long> result = rewriter_.finished(rewrite, registers.result());
    if (!result) {
        registers.repeat(rewrite.number.value_or(rewrite.call->number));
        if (rewrite.traps_again) {
            registers.set_arguments(rewrite.original);
            registers.store(rewrite.caller.thread);
            return let_go(trace, status);
        }
        set_marked(registers, rewrite);
        registers.store(rewrite.caller.thread);
        if (rewrite.several())
            block_signals(trace);
        else
            unblock_signals(trace);
        trace.phase = Phase::entering;
        return resume_to_call(trace.thread);
    }
    registers.set_arguments(rewrite.original);
    registers.set_result(*result);
    if (rewrite.asked()) registers.set_answered();
    registers.store(rewrite.caller.thread);
    let_go(trace, status);
}

bool Tracer::release(HostPid thread) {
    if (children_.contains(raw(thread))) return false;  // just made, and let go in a moment
    const auto found = traces_.find(raw(thread));
    if (found == traces_.end()) return true;
    Trace& trace = found->second;
    if (!std::exchange(trace.leaving, true)) ptrace(PTRACE_INTERRUPT, raw(thread), 0L, 0L);
    return false;
}

// A held thread runs freely: what stops it here is a signal, job control or the creation of a thread.
void Tracer::while_idle(Trace& trace, int status) {
    if (trace.calls && is_call_stop(status)) return at_call(trace, status);
    if (is_creation(status)) announce(trace, false);
    let_go(trace, status);
}

void Tracer::at_call(Trace& trace, int status) {
    Registers registers;
    if (!registers.load(HostPid(trace.thread))) return let_go(trace, status);
    if (!is_entry(trace.thread)) {
        rewriter_.left(HostPid(trace.thread), registers.call());
        return let_go(trace, status);
    }
    auto rewrite = rewriter_.entered(HostPid(trace.thread), registers);
    if (!rewrite) return let_go(trace, status);
    trace.rewrite = std::move(*rewrite);
    registers.set_arguments(trace.rewrite.arguments);
    registers.store(HostPid(trace.thread));
    trace.phase = Phase::running;
    resume_to_call(trace.thread);
}

// A signal ends a wait for us before we have received the trap: the handler must not end the call, it was
// never made. Not so for a call that was made and that the kernel itself has interrupted.
void Tracer::mend_restart(const Trace& trace, int status) {
    const bool made = trace.interrupted || trace.phase == Phase::entering || trace.phase == Phase::running;
    if (signal_of(status) == 0 || made) return;
    Registers registers;
    if (!registers.load(HostPid(trace.thread)) || registers.result() != -restart_sys) return;
    if (!find_call(registers.call(), registers.arguments().data())) return;
    registers.set_result(-restart_no_interrupt);
    registers.store(HostPid(trace.thread));
}

// The handlers are gone, and with them the reason to hold it. Another thread's exec takes over the leader's
// number.
void Tracer::at_exec(HostPid thread) {
    unsigned long former = 0;
    ptrace(PTRACE_GETEVENTMSG, raw(thread), 0L, &former);
    bool calls = false;
    for (const int number : {raw(thread), static_cast<int>(former)})
        if (const auto found = traces_.find(number); found != traces_.end()) {
            Rewrite& rewrite = found->second.rewrite;
            // The memory in which it was changed is gone.
            rewrite.patches.clear();
            rewrite.scratch.reset();
            if (found->second.phase != Phase::idle) rewriter_.abandoned(rewrite);
            calls = calls || found->second.calls;
            forget(found->second);
        }
    rewriter_.executed(thread);
    if (calls && rewriter_.calls_matter(thread)) {
        Trace& trace = trace_of(raw(thread));
        trace.held = trace.calls = true;
        return resume_to_call(raw(thread));
    }
    ptrace(PTRACE_DETACH, raw(thread), 0L, 0L);
}

// Not made, or interrupted: the result stays what the kernel wants for its restart.
void Tracer::give_up(Trace& trace, int status) {
    const Phase phase = trace.phase;
    Registers registers;
    if ((phase == Phase::entering || phase == Phase::running) && registers.load(HostPid(trace.thread))) {
        registers.set_arguments(trace.rewrite.original);
        if (trace.rewrite.number) registers.set_call(trace.rewrite.call->number);
        // Should a handler end it, that is the call's own EINTR.
        if (trace.rewrite.asked() && phase == Phase::running) registers.set_answered();
        registers.store(HostPid(trace.thread));
    }
    rewriter_.abandoned(trace.rewrite);
    let_go(trace, status);
}

// On its way, with the signal that it stopped for; a thread that job control stops stays stopped.
void Tracer::let_go(Trace& trace, int status) {
    unblock_signals(trace);
    mend_restart(trace, status);
    if (signal_of(status) != 0) trace.interrupted = false;
    const bool dropped =
        trace.held && signal_of(status) != 0 && !rewriter_.delivers(HostPid(trace.thread), signal_of(status));
    const auto signal = dropped ? 0L : static_cast<long>(signal_of(status));
    if (!trace.held || trace.leaving) {
        ptrace(PTRACE_DETACH, trace.thread, 0L, signal);
        return forget(trace);
    }
    if (is_job_control_stop(status))
        ptrace(PTRACE_LISTEN, trace.thread, 0L, 0L);
    else
        ptrace(trace.calls ? PTRACE_SYSCALL : PTRACE_CONT, trace.thread, 0L, signal);
    trace.rewrite = {};
    trace.phase = Phase::idle;
    await(trace, false);
    expect_child(trace, false);
    if (births_ == 0) release_children();
}

void Tracer::forget(Trace& trace) {
    await(trace, false);
    expect_child(trace, false);
    traces_.erase(int{trace.thread});
    if (births_ == 0) release_children();
}

void Tracer::await(Trace& trace, bool awaited) {
    const int change = static_cast<int>(awaited) - static_cast<int>(trace.awaited);
    awaited_ += change;
    awaited_sum_ += long{change} * trace.thread;
    trace.awaited = awaited;
}

void Tracer::expect_child(Trace& trace, bool expected) {
    births_ += static_cast<int>(expected) - static_cast<int>(trace.child_expected);
    trace.child_expected = expected;
}

void Tracer::child_stopped(int child) {
    const auto found = children_.find(child);
    if (found == children_.end() && births_ > 0) {
        children_.emplace(child, Child{});
        return;
    }
    Child note = found == children_.end() ? Child{} : found->second;
    // A thread that a held one has made, and whose creator hasn't said so yet.
    if (found == children_.end()) {
        const HostPid process = process_of_thread(HostPid(child));
        note.hold = process != HostPid(child) && holds(process);
        note.calls = note.hold && traces_.at(raw(process)).calls;
        note.reaper = process == HostPid(child) && rewriter_.orphaned(process);
    }
    if (found != children_.end()) children_.erase(found);
    release(child, note);
}

// in_call: the creation was trapped and the child is a process; else a held thread has made a thread.
void Tracer::announce(Trace& creator, bool in_call) {
    unsigned long message = 0;
    // A creator that was killed meanwhile can't be asked; its end is reported next, and the child is let go
    // then.
    if (ptrace(PTRACE_GETEVENTMSG, creator.thread, 0L, &message) != 0 || message == 0) return;
    const auto child = static_cast<int>(message);
    if (!in_call && holds(HostPid(child))) return;  // it came first
    Child note{.announced = true, .hold = creator.held, .calls = creator.held && creator.calls};
    if (in_call) {
        expect_child(creator, false);
        const bool changed = creator.rewrite.changed();  // before what was changed is taken back
        note.reaper = rewriter_.created(creator.rewrite, HostPid(child));
        if (changed) note.arguments = creator.rewrite.original;
    }
    if (children_.erase(child) > 0)
        release(child, note);
    else
        children_.emplace(child, note);
}

void Tracer::release(int child, const Child& note) {
    if (note.arguments) {
        Registers registers;
        if (registers.load(HostPid(child))) {
            registers.set_arguments(*note.arguments);
            registers.store(HostPid(child));
        }
    }
    if (note.hold || note.reaper) {
        Trace& trace = trace_of(child);
        trace.held = note.hold;
        trace.calls = note.calls;
        if (note.reaper) return prepare(trace);
    }
    ptrace(note.calls ? PTRACE_SYSCALL : note.hold ? PTRACE_CONT : PTRACE_DETACH, child, 0L, 0L);
}

// The first process of a namespace gets the orphans of its namespace: it has to ask the kernel for them
// itself.
void Tracer::prepare(Trace& child) {
    if (!child.before.load(HostPid(child.thread))) return;  // killed; its end is reported next
    block_signals(child);
    Registers registers = child.before;
    registers.set_arguments({PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0, mark});
    registers.repeat(SYS_prctl);
    registers.store(HostPid(child.thread));
    child.call_stops = 0;
    child.phase = Phase::preparing;
    await(child, true);
    resume_to_call(child.thread);
}

void Tracer::while_preparing(Trace& child, int status) {
    const bool at_entry = is_call_stop(status) && child.call_stops++ == 0;
    if (at_entry) return resume_to_call(child.thread);
    child.before.store(HostPid(child.thread));
    let_go(child, status);
}

// A creator that was killed before it could announce its child: nobody will.
void Tracer::release_children() {
    for (auto note = children_.begin(); note != children_.end();) {
        if (note->second.announced) {
            ++note;
            continue;
        }
        release(note->first, {.reaper = rewriter_.orphaned(HostPid(note->first))});
        note = children_.erase(note);
    }
}

Tracer::Trace& Tracer::trace_of(int thread) {
    Trace& trace = traces_[thread];
    trace.thread = thread;
    return trace;
}

}  // namespace ctr::pidns
