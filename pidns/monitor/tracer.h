// The transient trace: makes a call in the name of a thread that trapped, with other arguments, and changes
// its result.
//
// The life of a rewritten call (wait4, kill, setpgid, ...):
//   trap        the thread sleeps in the seccomp notification
//   rewrite()   seize, interrupt, answer "restart" -------------> the thread wakes and stops    (stopping)
//   stop        set the mark and the host's numbers, go on ------> it enters the call again      (entering)
//   entry stop  the filter lets the marked call pass ------------> the call is made              (running)
//   exit stop   translate the result, put the registers back, detach: the program never noticed
//
// Of a creation (the fork family), whose arguments hold no numbers:
//   create()    seize, answer "go on" ----------------------------> the call is made as it is     (creating)
//   fork event  both are stopped: number the child, let it go ---> the call ends                 (running)
//   exit stop   translate the result, detach
// One whose flags must change (CLONE_NEWPID) goes the long way, and the child's registers are put back as
// well. No event means that no child was made: the call failed by itself, or a signal came and the kernel
// restarts it.
//
// A signal at any point before the call is made, and a call that a signal interrupts, end the same way: the
// registers are put back as they were at the trap, with the kernel's own "restart" result, and the kernel
// does what it would have done without us: run the handler, then restart the call (which traps again) or
// return EINTR. No signal is held back or delivered twice, and a thread that is stopped by job control stays
// stopped.
//
// One thing a transient trace can't mend: a call that waits for the monitor ends with EINTR when a signal
// with a handler that lacks SA_RESTART comes before the monitor has received the notification, even fork,
// which can't fail so. (dash has such a handler for SIGCHLD: one fork in fifteen of a busy Makefile failed.)
// Threads of processes with such handlers are therefore *held*: seized when the handler is installed, and
// kept, running freely, until they exec. Their signals pass through here, and one that ended such a wait is
// made to restart the call. The same goes for processes with a handler that gets to see a siginfo_t, whose
// si_pid is translated when the signal passes. What holding costs: a stop for each signal, exit and thread
// creation, and what any tracer causes: a signal that is ignored ends an epoll_wait, a semop or a
// sigtimedwait with EINTR.
//
// Threads of a process that has a file open for writing into which numbers are written (cgroup_files.h) are
// held *with call stops*: they stop at both ends of every call, because a filter can't see what a descriptor
// is and the writes can't be told from others. Children and the next program inherit that with the
// descriptor, and it ends when the descriptor is gone.
//
// One thread of the monitor does everything here (ptrace binds tracees to the thread that seized them).
// Nothing waits. A thread can be killed, or replaced by another thread's exec, at any step; its trace is then
// dropped.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "pidns/model/numbering.h"
#include "pidns/monitor/broadcast.h"
#include "pidns/monitor/errand.h"
#include "pidns/monitor/listener.h"
#include "pidns/monitor/memory.h"
#include "pidns/monitor/registers.h"
#include "pidns/monitor/seize.h"
#include "pidns/surface/calls.h"
#include "pidns/surface/contents.h"
#include "runtime/base/ids.h"

namespace ctr::pidns {

// A thread that made a call, its process, and the namespace from which it sees others.
struct Caller {
    HostPid thread = HostPid::none;
    HostPid process = HostPid::none;
    NamespaceId space = NamespaceId::none;
};

// What a program had in its memory where the kernel is to read something else for the duration of the call.
struct Patch {
    uint64_t address = 0;
    uint64_t before = 0;
    uint64_t after = 0;
    uint8_t size = 0;  // 4 or 8

    bool apply(const ProcessMemory& memory) const { return put(memory, after); }
    void revert(const ProcessMemory& memory) const { put(memory, before); }
    bool put(const ProcessMemory& memory, uint64_t value) const {
        return size == sizeof(uint32_t) ? memory.write(address, static_cast<uint32_t>(value))
                                        : memory.write(address, value);
    }
};

// All or none.
inline bool apply_all(const std::vector<Patch>& patches, const ProcessMemory& memory) {
    for (size_t i = 0; i < patches.size(); ++i) {
        if (patches[i].apply(memory)) continue;
        while (i-- > 0) patches[i].revert(memory);
        return false;
    }
    return true;
}

// Bytes that lie on the stopped thread's stack for the duration of the call.
struct Scratch {
    uint64_t address = 0;
    std::string before;
};

// Lays bytes, with a zero behind them, below the stack of a stopped thread. Nothing: there is no room.
std::optional<Scratch> lay_down(const ProcessMemory& memory, uint64_t stack, const std::string& bytes);

// A call to be made with the host's numbers, and what its end must know.
struct Rewrite {
    const Call* call = nullptr;
    Caller caller;
    Registers::Arguments original{};   // as the program passed them
    Registers::Arguments arguments{};  // as the kernel gets them; the mark is added
    bool sleeps = false;               // the call may wait for long

    EntryId reserved = EntryId::none;  // fork family: the child's numbers
    bool created = false;              // ... and there is a child that bears it
    VirtPid child = VirtPid::none;     // ... as its creator sees it
    uint64_t parent_tid = 0;           // ... whose number the kernel writes here (CLONE_PARENT_SETTID)
    std::vector<Patch> patches{};
    std::optional<Scratch> scratch{};
    NamespaceId home = NamespaceId::none;      // of the child's parent
    NamespaceId space = NamespaceId::none;     // that the child, or the caller's next child, is born in
    bool made_space = false;                   // ... which was made for this call
    std::optional<std::string> path{};         // to be read by the kernel in place of the program's
    uint8_t path_argument = 0;                 // ... where the call has it
    std::optional<std::string> second_path{};  // ... and of a call with two
    uint8_t second_path_argument = 0;
    Content content = Content::none;  // of the file that is opened, which is to be replaced
    bool may_take_members = false;    // ... and may be one into which numbers are written
    bool may_be_covered = false;      // a file that the call changes may be covered (covers.h)
    bool link = false;                // the call reads a link whose text is to be translated
    bool traps_again = false;         // no longer with the mark: it will be answered then
    std::optional<long> written{};    // what a call returns that did something else in our words
    std::optional<Registers::Arguments> resumed{};  // arguments of a wait that first reaps remains
    std::unique_ptr<Broadcast> broadcast{};         // a signal to many: one call for each
    std::optional<Errand> errand{};                 // calls that the thread makes for us
    std::optional<long> number{};                   // ... which one is made; else the program's own

    // Several calls in a row, between which no handler must run.
    bool several() const { return broadcast || errand; }

    // Made by code of the layer inside the workload.
    bool asked() const { return original[5] == pidns::asked_mark; }

    // The call isn't made as the program made it.
    bool changed() const {
        return !patches.empty() || scratch || path || second_path || arguments != original;
    }
};

// Lays the paths that are to be read in place of the program's.
void lay_paths(Rewrite& rewrite, HostPid thread, uint64_t stack);

// Who understands the calls. The thread is stopped whenever one of these is called.
class Rewriter {
  public:
    // The fork family has made a child, which doesn't run yet. True: it is to be a reaper of orphans (the
    // first of a namespace).
    virtual bool created(Rewrite& rewrite, HostPid child) = 0;

    // The same of a child whose creator was killed before it could say so. The child doesn't run yet.
    virtual bool orphaned(HostPid child) = 0;

    // The thread stands and is about to make the first of several calls.
    virtual void begun(Rewrite& rewrite) = 0;

    // The call ended; returns what the program gets to see, or nothing to make the call once more with new
    // arguments.
    virtual std::optional<long> finished(Rewrite& rewrite, long result) = 0;

    // The call was not made, or was interrupted and will trap again; or the thread is gone.
    virtual void abandoned(Rewrite& rewrite) = 0;

    // A held thread's process runs another program now.
    virtual void executed(HostPid process) = 0;

    // A signal is about to reach a held thread, which stands. False: it is not to.
    virtual bool delivers(HostPid thread, int signal) = 0;

    // A thread with call stops enters a call: how it is to be made instead, if otherwise.
    virtual std::optional<Rewrite> entered(HostPid thread, const Registers& registers) = 0;
    // ... and has left one that was made as it stood.
    virtual void left(HostPid thread, long call) = 0;
    // Whether the calls of a process, which runs a new program, still matter.
    virtual bool calls_matter(HostPid process) = 0;

  protected:
    ~Rewriter() = default;
};

// With the layer's mark, where the call has room for it.
Registers::Arguments with_mark(const Call& call, Registers::Arguments arguments);

class Tracer {
  public:
    Tracer(Rewriter& rewriter, Alarm& alarm) : rewriter_(rewriter), alarm_(alarm) {}

    // Starts to serve the call that trapped. Returns 0 and has taken the rewrite; or the errno of a thread
    // that can't be traced, and the trap is still unanswered: EPERM, it is being traced by another, or not
    // dumpable; EAGAIN, it can't be seized just now (seize.h).
    int rewrite(const Listener& listener, const Trap& trap, Rewrite& rewrite);
    int create(const Listener& listener, const Trap& trap, Rewrite& rewrite);

    // Seizes all threads of a process and keeps them. Those that can't be traced are left as they are.
    void hold(HostPid process);

    // The same with call stops, also for a thread whose call just ends; and the end of that.
    void follow_calls(HostPid process);
    void leave_calls(HostPid process, bool keep_holding);

    bool holds(HostPid thread) const;

    // Lets go of a thread that somebody else is about to trace, as soon as it can be: false until then.
    bool release(HostPid thread);

    // A status that waitpid returned for a thread, other than the end of a process that isn't traced.
    void stopped(HostPid thread, int status);

    // Some thread is about to stop, within microseconds: worth waiting for in waitpid itself.
    bool busy() const { return awaited_ > 0 || (children_awaited_ && !children_.empty()); }

    // Then, if it is known which stops next, or which of two: waiting for one by its number takes no time
    // that grows with the number of threads that are traced. none: any.
    HostPid next_to_stop() const;

    // Some creation may have failed without a word.
    bool unsettled() const { return births_ > 0; }

    // What should have stopped at once did not: it is frozen, in an uninterruptible sleep, or a creation that
    // failed. Nobody waits for it any longer; its stop is handled when it comes, and failed creations are
    // made to stop.
    void give_up_waiting();

  private:
    // preparing: a new child makes a call of ours before its first own instruction.
    enum class Phase { idle, stopping, entering, creating, running, preparing };

    struct Trace {
        int thread = 0;
        Rewrite rewrite;
        Phase phase = Phase::idle;
        bool held = false;
        bool calls = false;        // held: with call stops
        bool interrupted = false;  // held: the kernel itself has interrupted the call that is to be restarted
        bool awaited = false;      // counted in awaited_
        bool child_expected = false;  // counted in births_
        bool leaving = false;         // to be let go at its next stop
        bool blocked = false;         // its signals, the mask of which is kept here:
        uint64_t signal_mask = 0;
        Registers before{};  // preparing: the child's own
        int call_stops = 0;  // preparing
    };
    // By thread. References to a trace stay valid while others come and go.
    using Traces = std::unordered_map<int, Trace>;

    int start(const Trap& trap, Rewrite& rewrite, Phase phase);
    bool hold_thread(int thread);
    void mend_restart(const Trace& trace, int status);
    void at_first_stop(Trace& trace, int status);
    void at_entry(Trace& trace, int status);
    void at_creation(Trace& trace, int status);
    void at_exit(Trace& trace, int status);
    void while_idle(Trace& trace, int status);
    void at_call(Trace& trace, int status);
    void at_exec(HostPid thread);
    void give_up(Trace& trace, int status);
    void let_go(Trace& trace, int status);
    static void block_signals(Trace& trace);
    static void unblock_signals(Trace& trace);
    void forget(Trace& trace);
    void await(Trace& trace, bool awaited);
    void expect_child(Trace& trace, bool expected);

    struct Child {
        bool announced = false;  // by its creator; else it stands and waits for that
        bool hold = false;
        bool calls = false;
        bool reaper = false;
        std::optional<Registers::Arguments> arguments{};  // its true ones, where its creator's were changed
    };
    void child_stopped(int child);
    void announce(Trace& creator, bool in_call);
    void release(int child, const Child& note);
    void prepare(Trace& child);
    void while_preparing(Trace& child, int status);
    void release_children();
    Trace& trace_of(int thread);

    Rewriter& rewriter_;
    Alarm& alarm_;
    Traces traces_;
    int awaited_ = 0;       // traces that are about to stop
    long awaited_sum_ = 0;  // of their numbers: of a single one, its own
    int births_ = 0;        // creations whose child hasn't been announced
    // A new child and its creator stop in any order; the child must not run before it has a number. Whoever
    // comes first leaves a note here: the child waits for its creator's word, or may go on when it comes.
    std::unordered_map<int, Child> children_;
    bool children_awaited_ = true;
    bool creations_succeed_ = true;  // the last one did; waiting for one that fails would be in vain
};

}  // namespace ctr::pidns
