#include "pidns/monitor/nested.h"

#include <linux/capability.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "pidns/monitor/procfs.h"
#include "runtime/base/sys.h"

namespace ctr::pidns {

Result<NestedNamespaces> NestedNamespaces::create(Numbers& numbers) {
    Fd inits(epoll_create1(EPOLL_CLOEXEC));
    if (!inits) return fail_call("watch nested namespaces", "epoll_create1");
    return NestedNamespaces(numbers, std::move(inits));
}

NamespaceId NestedNamespaces::for_children(const Caller& caller) const {
    const auto choice = choices_.find(raw(caller.thread));
    const bool holds = choice != choices_.end() && choice->second.process == caller.process &&
                       choice->second.birth == numbers_->birth_of(caller.process);
    return holds ? choice->second.space : caller.space;
}

void NestedNamespaces::set_for_children(const Caller& caller, NamespaceId space) {
    choices_.insert_or_assign(raw(caller.thread),
                              Choice{caller.process, numbers_->birth_of(caller.process), space});
    numbers_->attention().set(caller.process, Attention::namespaces);
}

bool NestedNamespaces::born(HostPid process, NamespaceId space) {
    choices_.erase(raw(process));
    homes_.erase(raw(process));
    if (space == NamespaceId::root || numbers_->init_of(space) != process) return false;
    Fd pidfd(sys::pidfd_open(raw(process), 0));
    epoll_event event{EPOLLIN, {}};
    event.data.u32 = raw(space);
    epoll_ctl(inits_.get(), EPOLL_CTL_ADD, pidfd.get(), &event);
    watched_.insert_or_assign(raw(space), Init{process, std::move(pidfd), user_namespace_of(process)});
    return true;
}

bool NestedNamespaces::has_room() const {
    // Files that threads are opening, tables of mounts, and what is opened for a moment.
    constexpr rlim_t reserved = 192;
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
    return watched_.size() < limit.rlim_cur - std::min(reserved, limit.rlim_cur / 2);
}

bool NestedNamespaces::may_enter(HostPid thread, NamespaceId space) const {
    return has_capability(thread, CAP_SYS_ADMIN) && belongs_where(thread, space);
}

bool NestedNamespaces::belongs_where(HostPid process, NamespaceId space) const {
    const auto found = watched_.find(raw(space));
    const std::string owner =
        found != watched_.end() ? found->second.owner : user_namespace_of(numbers_->init_of(space));
    return owner == user_namespace_of(process);
}

bool NestedNamespaces::ended(NamespaceId space) const {
    for (; space != NamespaceId::none; space = numbers_->parent_of(space))
        if (ended_.contains(raw(space))) return true;
    return false;
}

bool NestedNamespaces::is_remains(HostPid process) const {
    if (ended_.empty()) return false;
    if (const auto home = homes_.find(raw(process)); home != homes_.end()) return ended(home->second);
    const NamespaceId space = numbers_->namespace_of(process);
    // An init is reaped by its parent, whose namespace is the one above.
    return ended(numbers_->number_of(process, space) == VirtPid::init ? numbers_->parent_of(space) : space);
}

void NestedNamespaces::take_ends() {
    std::array<epoll_event, 16> events{};
    const int count = epoll_wait(inits_.get(), events.data(), static_cast<int>(events.size()), 0);
    for (int i = 0; i < count; ++i) {
        end(NamespaceId(events[static_cast<size_t>(i)].data.u32));
    }
}

void NestedNamespaces::forget_gone() {
    std::erase_if(choices_, [&](const auto& entry) {
        const auto& [thread, choice] = entry;
        return tgkill(raw(choice.process), thread, 0) != 0 && errno == ESRCH;
    });
    std::erase_if(homes_, [&](const auto& entry) { return !numbers_->is_process(HostPid(entry.first)); });
}

void NestedNamespaces::end(NamespaceId space) {
    watched_.erase(raw(space));
    ended_.insert(raw(space));
    numbers_->end_namespace(space);
    // Their next child could otherwise be born in another namespace that gets the same number.
    for (auto& [thread, choice] : choices_)
        if (numbers_->is_within(choice.space, space)) choice.space = NamespaceId::none;
    ending_.insert(raw(space));
    goes_on(space);
}

void NestedNamespaces::go_on_ending() {
    for (const uint32_t space : std::vector(ending_.begin(), ending_.end())) goes_on(NamespaceId(space));
}

// Those that nobody had registered are found when their creators are gone: hence in this order.
bool NestedNamespaces::goes_on(NamespaceId space) {
    if (!ending_.contains(raw(space))) return false;
    const bool alive = kill_all_in(space);
    if (numbers_->adopt_orphans() || alive) return true;
    if (!numbers_->expects_orphans(space)) ending_.erase(raw(space));
    return false;
}

NamespaceId NestedNamespaces::ended_by(HostPid process) {
    const NamespaceId space = numbers_->namespace_of(process);
    const bool is_init = space != NamespaceId::root && numbers_->number_of(process, space) == VirtPid::init;
    if (!is_init || !has_ended(process)) return NamespaceId::none;
    if (!ended_.contains(raw(space))) end(space);
    return space;
}

// Children that are just being made in there are killed when they are announced (ended()).
// Says whether there was anybody alive.
bool NestedNamespaces::kill_all_in(NamespaceId space) const {
    bool found = false;
    numbers_->each_process([&](HostPid process) {
        if (!numbers_->is_within(numbers_->namespace_of(process), space)) return;
        // With our own rights, so only what is surely the container's: the descriptor fixes whom we look at.
        const Fd pidfd(sys::pidfd_open(raw(process), 0));
        if (!pidfd || has_ended(process) || !descends_from(process, HostPid(getpid()))) return;
        sys::pidfd_send_signal(pidfd.get(), SIGKILL);
        found = true;
    });
    return found;
}

}  // namespace ctr::pidns
