// The fork family. The creator claims numbers for the child, makes it, and registers it; a child that only
// returns touches nothing of this. A child that asks who it is before it is registered is registered by the
// monitor, with the same claim.
#include "pidns/guest/children.h"
#include "pidns/guest/numbers.h"
#include "pidns/guest/serve.h"

#include <linux/sched.h>

namespace ctr::pidns::guest {

namespace {

struct Creation {
    uint64_t flags = 0;
    uint64_t stack = 0;  // its top; 0: the creator's, or none that the kernel takes
    bool odd = false;    // what only the monitor may serve
};

// The address of clone3's argument comes from the C library itself where the call's site is known; the
// function syscall() passes on what it gets.
Creation creation_of(const Frame& frame) {
    switch (frame.number) {
        case SYS_vfork: return {.flags = CLONE_VM | CLONE_VFORK};
        case SYS_clone: return {.flags = frame.arguments[0], .stack = frame.arguments[1]};
        case SYS_clone3: break;
        default: return {};
    }
    const uint64_t address = frame.arguments[0], size = frame.arguments[1];
    if (size < CLONE_ARGS_SIZE_VER0 || (frame.near_code == 0 && !Mapping::is_quiet() &&
                                        !is_readable(frame.stack(), address, CLONE_ARGS_SIZE_VER0)))
        return {.odd = true};
    const auto* args = reinterpret_cast<const clone_args*>(address);
    Creation creation{.flags = args->flags};
    if (args->stack != 0 && args->stack_size != 0) creation.stack = args->stack + args->stack_size;
    if (size >= CLONE_ARGS_SIZE_VER1) creation.odd |= args->set_tid_size != 0;
    return creation;
}

// Below the top of its new stack, for entry.S: in memory that the program gave away, or in the child's copy
// of it.
void lay_way_back(const Frame& frame, uint64_t top) {
    auto* words = reinterpret_cast<uint64_t*>(top);
    words[-1] = frame.sixth;
    words[-2] = frame.back;
}

// The child goes on where its creator does: what lies below is the program's red zone, and this frame.
bool stays_here(const Frame& frame, uint64_t top) {
    return top >= reinterpret_cast<uint64_t>(&frame) && top <= frame.stack();
}

// Nothing may be kept on the stack that the child begins on.
bool is_bare(const Frame& frame, const Creation& creation) {
    if (creation.stack != 0) return stays_here(frame, creation.stack);
    return (creation.flags & CLONE_VM) != 0 && frame.number != SYS_vfork;
}

// Whether the container's C libraries may know that number as a thread's (monitor/numbers.h). A process of
// the host that isn't the container's can be told from its threads without the monitor: the lowest numbers
// are always somebody's.
template <class Numbering>
bool is_ambiguous(const Numbering& model, int number) {
    const auto host = static_cast<uint64_t>(number);
    if (marked(SYS_kill, host, 0) == esrch) return false;
    return model.is_process(model.entry_of(HostPid(number))) || marked(SYS_tgkill, host, host, 0) == esrch;
}

// None: the monitor must look.
Claim claim_for_child(const Self& self) {
    return self.mapping.with([&](auto& model) -> Claim {
        const EntryId claim = model.allocate(self.space, self.host);
        for (NamespaceId space = self.space; space != NamespaceId::none && claim != EntryId::none;
             space = model.parent_of(space)) {
            const int number = raw(model.number_in(claim, space));
            if (number <= 1 || !is_ambiguous(model, number)) continue;
            model.cancel(claim);
            return {};
        }
        if (claim == EntryId::none) return {};
        return {claim, model.number_in(claim, self.space), model.birth_of(claim)};
    });
}

// The result is what the creator sees; it is never 0, which would make it take itself for the child.
int64_t finish(Claim claim, int64_t result) {
    if (claim.entry() == EntryId::none || result == 0) return result;
    const auto mapping = Mapping::get();
    if (!mapping) return result;
    return mapping->with([&](auto& model) -> int64_t {
        const HostPid creator = model.claimant_of(claim.entry());
        const bool open = creator != HostPid::none && claim.is_of(model.birth_of(claim.entry()));
        if (result < 0) {
            if (open) model.cancel(claim.entry());
            return result;
        }
        if (!open) return claim.number();  // somebody has registered the child with it
        const EntryId entry = register_child(*mapping, claim.entry(), HostPid(static_cast<int>(result)));
        const auto adopted = [&] {
            return raw(model.number_in(entry, model.namespace_of(model.entry_of(creator))));
        };
        const int number = entry == claim.entry() ? 0 : adopted();
        return number != 0 ? number : claim.number();
    });
}

}  // namespace

EntryId register_child(const Mapping& mapping, EntryId claim, HostPid child) {
    return mapping.with([&](auto& model) {
        const EntryId creator = model.entry_of(model.claimant_of(claim));
        if (!model.is_process(model.entry_of(child))) mapping.attention().reset(child);
        const EntryId group = model.group_of(creator);
        const EntryId entry = model.publish(claim, child, group, model.session_of(creator));
        // Another may have moved the creator to another group meanwhile.
        const auto leader = HostPid(static_cast<int>(marked(SYS_getpgid, static_cast<uint64_t>(raw(child)))));
        if (raw(leader) > 0 && leader != model.host_of(group)) model.set_group(entry, model.entry_of(leader));
        return entry == EntryId::none ? model.entry_of(child) : entry;
    });
}

Action create(Frame& frame, const Row& row) {
    const Creation creation = creation_of(frame);
    const bool is_thread = (creation.flags & CLONE_THREAD) != 0;
    // To the kernel their numbers are all that matters, but these need the monitor's help.
    constexpr uint64_t special =
        CLONE_NEWPID | CLONE_PARENT | CLONE_PARENT_SETTID | CLONE_UNTRACED | CLONE_PTRACE;
    // So that a filter that is installed for all threads is noticed by all (Mapping::be_quiet_everywhere).
    if (is_thread) (void)Mapping::get();
    const bool served_here = is_thread || (!creation.odd && (creation.flags & special) == 0);
    if (is_bare(frame, creation)) return Action::bare;
    const auto self = served_here && !is_thread ? Self::find() : std::nullopt;
    frame.claim = self ? claim_for_child(*self) : Claim();
    const bool claimed = frame.claim.entry() != EntryId::none || is_thread;
    if (!claimed)
        ask(frame, row);
    else
        frame.made[5] = mark;
    if (frame.number == SYS_vfork) return Action::vfork;
    if (claimed) look(frame, After::creation);
    if (creation.stack != 0) {
        lay_way_back(frame, creation.stack);
        return Action::new_stack;
    }
    return claimed && frame.near_code != 0 ? Action::near : Action::look;
}

Action create_unseen(Frame& frame) {
    const Creation creation = creation_of(frame);
    if (is_bare(frame, creation)) return Action::bare;
    if (creation.stack == 0) return Action::make;
    lay_way_back(frame, creation.stack);
    look(frame, After::nothing);
    return Action::new_stack;
}

bool has_created(Frame& frame) {
    frame.result = finish(frame.claim, frame.result);
    return false;
}

extern "C" __attribute__((visibility("hidden"))) int64_t guest_created(Claim claim, int64_t result) {
    return finish(claim, result);
}

}  // namespace ctr::pidns::guest
