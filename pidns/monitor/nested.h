// Namespaces that programs make inside the container: CLONE_NEWPID of clone and clone3, unshare, setns.
//
// Virtual ones: the kernel never sees the flag. What the kernel keeps for each task, the namespace that its
// children are born in, is kept here; and what its init does when it ends is done here: all that is left in
// the namespace and in those below it is killed.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "pidns/monitor/numbers.h"
#include "pidns/monitor/tracer.h"
#include "runtime/base/fd.h"

namespace ctr::pidns {

class NestedNamespaces {
  public:
    static Result<NestedNamespaces> create(Numbers& numbers);

    // Where a child of this thread is born: its own namespace, or what unshare or setns have set.
    NamespaceId for_children(const Caller& caller) const;
    void set_for_children(const Caller& caller, NamespaceId space);

    // A process was registered: what its number stood for before is void. True: it is the init of a nested
    // namespace.
    bool born(HostPid process, NamespaceId space);

    // A namespace was made; its number may have been that of one which has ended.
    void made(NamespaceId space) {
        ended_.erase(raw(space));
        ending_.erase(raw(space));
    }

    // Its parent lives in another namespace than it was born in, and isn't the starter of its init (setns):
    // the kernel leaves it to somebody there to reap.
    void set_home(HostPid process, NamespaceId home) { homes_.insert_or_assign(raw(process), home); }

    // Each namespace inside takes a descriptor of ours. Those that everything else takes are never given
    // away: without them /proc couldn't be translated.
    bool has_room() const;

    // Whether a thread is privileged there: the namespace belongs to the user namespace of its first process.
    bool may_enter(HostPid thread, NamespaceId space) const;

    // Whether it belongs to the user namespace that this process is in.
    bool belongs_where(HostPid process, NamespaceId space) const;

    // Nothing can be born there any more.
    bool ended(NamespaceId space) const;

    // An orphan of a namespace that has ended: the kernel has reaped its like before anybody outside can.
    bool is_remains(HostPid process) const;

    // Calls visit(HostPid) for the init of each namespace inside.
    template <class Visitor>
    void each_init(Visitor visit) const {
        for (const auto& [space, init] : watched_) visit(init.process);
    }

    // Of threads and processes that are gone.
    void forget_gone();

    // The namespace whose init this process was, which has ended; none: it was no init.
    NamespaceId ended_by(HostPid process);

    // Somebody of a namespace that has ended is still to go. Of whom the kernel would have seen to that
    // before its init is reaped.
    bool goes_on(NamespaceId space);

    // Readable when the init of some namespace has ended.
    int fd() const { return inits_.get(); }
    void take_ends();

    // Of some namespace that has ended, somebody is still to go: to be looked after now and then.
    bool unfinished() const { return !ending_.empty(); }
    void go_on_ending();

  private:
    NestedNamespaces(Numbers& numbers, Fd inits) : numbers_(&numbers), inits_(std::move(inits)) {}
    void end(NamespaceId space);
    bool kill_all_in(NamespaceId space) const;

    struct Choice {
        HostPid process;  // whose thread it is: numbers are used again unnoticed
        uint64_t birth;   // ... and which process of that number
        NamespaceId space;
    };
    struct Init {
        HostPid process;
        Fd pidfd;
        std::string owner;  // the user namespace
    };

    Numbers* numbers_;
    Fd inits_;                                    // epoll on the pidfds below
    std::unordered_map<int, Choice> choices_;     // by thread
    std::unordered_map<uint32_t, Init> watched_;  // by namespace
    std::unordered_map<int, NamespaceId>
        homes_;                            // where the parent lives, of those for whom that isn't obvious
    std::unordered_set<uint32_t> ended_;   // namespaces whose init is gone, until their number is used again
    std::unordered_set<uint32_t> ending_;  // ... and of whose processes not all are
};

}  // namespace ctr::pidns
