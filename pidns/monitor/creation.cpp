// The fork family, and the calls that choose the namespace in which children are born.
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <utility>

#include "pidns/monitor/descriptors.h"
#include "pidns/monitor/memory.h"
#include "pidns/monitor/procfs.h"
#include "pidns/monitor/server.h"

namespace ctr::pidns {

namespace {

// What a call of the fork family says about the child to come, wherever the call keeps it.
struct Creation {
    uint64_t flags = 0;
    uint64_t parent_tid = 0;
    bool chooses_numbers = false;  // clone3's set_tid
    bool bad_size = false;         // clone3: the kernel doesn't look at the rest either
};

std::optional<Creation> creation_of(const Trap& trap) {
    switch (trap.number) {
        case SYS_vfork: return Creation{.flags = CLONE_VM | CLONE_VFORK};
        case SYS_clone: return Creation{.flags = trap.arguments[0], .parent_tid = trap.arguments[2]};
        case SYS_clone3: break;
        default: return Creation{};
    }
    const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    if (trap.arguments[1] < CLONE_ARGS_SIZE_VER0 || trap.arguments[1] > page)
        return Creation{.bad_size = true};
    // The first version of the structure ends before set_tid.
    struct FirstVersion {
        uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
    };
    static_assert(sizeof(FirstVersion) == CLONE_ARGS_SIZE_VER0);
    const auto first = read_value<FirstVersion>(trap.thread, trap.arguments[0]);
    if (!first && errno == EFAULT) return Creation{.bad_size = true};  // the kernel says the same
    if (!first) return {};
    Creation creation{.flags = first->flags, .parent_tid = first->parent_tid};
    if (trap.arguments[1] >= CLONE_ARGS_SIZE_VER1)
        creation.chooses_numbers =
            read_value<uint64_t>(trap.thread, trap.arguments[0] + offsetof(clone_args, set_tid_size))
                .value_or(0) != 0;
    return creation;
}

// Choosing numbers takes privilege over the namespace, which nobody inside has; a child must not be hidden
// from us.
int unsupported(const Creation& creation) {
    if (creation.chooses_numbers) return EPERM;
    return (creation.flags & CLONE_UNTRACED) != 0 ? EINVAL : 0;
}

// A file of /proc/PID/ns/pid that open() hasn't made (proc_files.h), so that it can't be told which process's
// it is: to the kernel all of them are the host's namespace.
bool is_pid_namespace_file(HostPid owner, int fd) {
    return descriptor_link(owner, fd).starts_with("pid:[");
}

}  // namespace

void CallServer::create_process(const Trap& trap, const Call& call, const Caller& caller) {
    const auto creation = creation_of(trap);
    if (!creation || !listener_.valid(trap)) {
        listener_.answer(trap, -EPERM);
        return;
    }
    // One that is traced inside the container is made as it is (debugging.cpp), in the same namespace.
    if (awaits_tracer(trap)) return;
    const bool debugged = tracee(caller.thread) != nullptr;
    if (debugged && (creation->flags & CLONE_NEWPID) != 0) {
        listener_.answer(trap, -EPERM);
        return;
    }
    if (debugged || (creation->flags & CLONE_THREAD) != 0 || creation->bad_size) {
        listener_.proceed(trap);
        return;
    }
    Rewrite rewrite = as_made(trap, call, caller);
    rewrite.sleeps = (creation->flags & CLONE_VFORK) != 0;
    if ((creation->flags & CLONE_PARENT_SETTID) != 0) rewrite.parent_tid = creation->parent_tid;

    long error = -unsupported(*creation);
    // An init has no parent inside that its sibling could have.
    const bool is_init = numbers_.number_of(caller.process, caller.space) == VirtPid::init;
    if ((creation->flags & CLONE_PARENT) != 0 && is_init) error = -EINVAL;
    rewrite.space = nested_.for_children(caller);
    rewrite.home = (creation->flags & CLONE_PARENT) != 0 ? numbers_.namespace_of(parent_of(caller.process))
                                                         : caller.space;
    if (error == 0 && (creation->flags & CLONE_NEWPID) != 0) {
        error = create_namespace(caller, creation->flags, rewrite.space);
        rewrite.made_space = error == 0;
        if (call.number == SYS_clone) rewrite.arguments[0] &= ~uint64_t{CLONE_NEWPID};
        if (call.number == SYS_clone3 && error == 0)
            rewrite.patches = {Patch{.address = trap.arguments[0] + offsetof(clone_args, flags),
                                     .before = creation->flags,
                                     .after = creation->flags & ~uint64_t{CLONE_NEWPID},
                                     .size = sizeof creation->flags}};
    }
    // As the kernel for a namespace whose init has ended.
    const bool gone = rewrite.space == NamespaceId::none || nested_.ended(rewrite.space);
    if (error == 0 && gone) error = -ENOMEM;
    // Made by unshare, when there was room for it.
    const bool is_first =
        error == 0 && rewrite.space != caller.space && numbers_.init_of(rewrite.space) == HostPid::none;
    if (is_first && !nested_.has_room()) error = -ENOSPC;
    if (error == 0) {
        rewrite.reserved = numbers_.reserve(rewrite.space, caller.process);
        // In the flat model a process outside of the namespace can't see what is born there by setns.
        if (rewrite.reserved == EntryId::none || !numbers_.shows(rewrite.reserved, caller.space)) {
            numbers_.give_back(std::exchange(rewrite.reserved, EntryId::none), caller.process);
            error = -EAGAIN;
        }
    }
    if (error != 0) {
        abandoned(rewrite);
        listener_.answer(trap, error);
        return;
    }
    if (!rewrite.patches.empty() && !apply_all(rewrite.patches, ProcessMemory(caller.thread))) {
        rewrite.patches.clear();
        abandoned(rewrite);
        listener_.answer(trap, -EPERM);  // memory that can't be written, though the kernel could read it
        return;
    }
    begin(trap, std::move(rewrite));
}

bool CallServer::created(Rewrite& rewrite, HostPid child) {
    rewrite.created = true;
    numbers_.register_child(rewrite.reserved, child, rewrite.caller.process, rewrite.space);
    rewrite.child = numbers_.number_of(child, rewrite.caller.space);
    if (rewrite.child == VirtPid::none) kill(raw(child), SIGKILL);
    watch(child, watched_.contains(raw(rewrite.caller.process)));
    // A child with memory of its own has a copy of what we changed.
    for (const Patch& patch : rewrite.patches) patch.revert(ProcessMemory(child));
    take_back(rewrite);
    if (nested_.ended(rewrite.space)) kill(raw(child), SIGKILL);  // its init died while it was being made
    const bool init = nested_.born(child, rewrite.space);
    if (rewrite.home != (init ? numbers_.parent_of(rewrite.space) : rewrite.space))
        nested_.set_home(child, rewrite.home);
    return init;
}

bool CallServer::orphaned(HostPid child) {
    if (process_of_thread(child) != child || numbers_.is_process(child)) return false;
    numbers_.adopt_orphans();
    return numbers_.is_process(child) && nested_.born(child, numbers_.namespace_of(child));
}

// 0, or what the kernel's create_pid_namespace() says.
long CallServer::create_namespace(const Caller& caller, uint64_t flags, NamespaceId& made) {
    if (nested_.for_children(caller) != caller.space) return -EINVAL;
    // A user namespace that is made by the same call comes first and gives the privilege.
    if ((flags & CLONE_NEWUSER) == 0 && !has_capability(caller.thread, CAP_SYS_ADMIN)) return -EPERM;
    // One that this process had made in vain, if there is: it would stay until the process ends.
    const auto spare = spare_.find(raw(caller.process));
    if (spare != spare_.end() && numbers_.parent_of(spare->second) == caller.space) {
        made = spare->second;
        spare_.erase(spare);
        return 0;
    }
    if (!nested_.has_room()) return -ENOSPC;
    made = numbers_.create_namespace(caller.space, caller.process);
    if (made == NamespaceId::none) return -ENOSPC;
    nested_.made(made);
    return 0;
}

// Which namespace setns's descriptor means. 0, or an error; none found: none that is ours to enter.
long CallServer::find_namespace(const Trap& trap, const Caller& caller, NamespaceId& found) const {
    const auto fd = static_cast<int>(trap.arguments[0]);
    const auto kinds = static_cast<uint32_t>(trap.arguments[1]);
    const NamespaceId named = files_.namespace_of(caller.thread, fd);
    const bool asked = kinds == 0 || kinds == CLONE_NEWPID;
    const HostPid process = process_of_pidfd(caller.thread, fd);
    if (named != NamespaceId::none && !asked) return -EINVAL;
    if (named == NamespaceId::none && process == HostPid::none)
        return asked && is_pid_namespace_file(caller.thread, fd) ? -EINVAL : 0;
    if (named == NamespaceId::none && (kinds & CLONE_NEWPID) == 0) return 0;
    if (named == NamespaceId::none && has_ended(process)) return -ESRCH;
    const NamespaceId space = named != NamespaceId::none ? named : numbers_.namespace_of(process);
    // Who enters the user namespace by the same call is privileged there when it comes to the others. Whether
    // it may is the kernel's to say.
    const bool with_user = process != HostPid::none && (kinds & CLONE_NEWUSER) != 0;
    const bool may_enter =
        with_user ? nested_.belongs_where(process, space) : nested_.may_enter(caller.thread, space);
    if (space != NamespaceId::none && !may_enter) return -EPERM;
    // Down only, as the kernel's pidns_install().
    if (space == NamespaceId::none || !numbers_.is_within(space, caller.space)) return -EINVAL;
    found = space;
    return 0;
}

// unshare and setns: children are born in another namespace from now on. What else they do is left to the
// kernel.
void CallServer::enter_namespace(const Trap& trap, const Call& call, const Caller& caller) {
    const bool makes = call.number == SYS_unshare;
    const unsigned at = makes ? 0 : 1;  // the argument that says which kinds
    // Children of one that is traced inside the container are born where it is (debugging.cpp).
    if (makes && tracee(caller.thread) != nullptr) {
        listener_.answer(trap, -EPERM);
        return;
    }
    NamespaceId space = NamespaceId::none;
    const long error =
        makes ? create_namespace(caller, trap.arguments[0], space) : find_namespace(trap, caller, space);
    if (!listener_.valid(trap)) return;
    if (error != 0) {
        listener_.answer(trap, error);
        return;
    }
    if (space == NamespaceId::none) {
        listener_.pass(trap);
        return;
    }
    Rewrite rewrite = as_made(trap, call, caller);
    rewrite.arguments[at] &= ~uint64_t{CLONE_NEWPID};
    rewrite.space = space;
    rewrite.made_space = makes;
    // What else there is to enter is the kernel's; a file of ours isn't.
    const bool done =
        files_.namespace_of(caller.thread, static_cast<int>(trap.arguments[0])) == space && !makes;
    if (!done && static_cast<uint32_t>(rewrite.arguments[at]) != 0) return begin(trap, std::move(rewrite));
    nested_.set_for_children(caller, space);
    listener_.answer(trap, 0);
}

}  // namespace ctr::pidns
