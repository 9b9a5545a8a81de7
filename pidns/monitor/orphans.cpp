// Processes whose creators were killed before they could register them.
//
// Such a process has gone to a reaper; if the init of its namespace was killed as well, to one outside. The
// kernel doesn't say whose child it was, but the claim that was made for it is still there and says where it
// belongs: nobody but this frees claims of processes that have ended. A claim may also stand for nothing, of
// a creator that was killed before it made a process; then there is no process that fits.
#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>
#include <vector>

#include "pidns/monitor/numbers.h"
#include "pidns/monitor/procfs.h"
#include "runtime/base/sys.h"

namespace ctr::pidns {

namespace {

std::vector<HostPid> processes_of_host() {
    std::vector<HostPid> processes;
    const std::unique_ptr<DIR, int (*)(DIR*)> proc(opendir("/proc"), closedir);
    if (!proc) return processes;
    while (const dirent* entry = readdir(proc.get())) {
        const std::string_view name(entry->d_name);
        int number = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), number).ec == std::errc{})
            processes.push_back(HostPid(number));
    }
    return processes;
}

bool is_in(HostPid process, HostPid group, HostPid session) {
    // Of a group or session that was made outside of the container there is no number.
    return (group == HostPid::none || getpgid(raw(process)) == raw(group)) &&
           (session == HostPid::none || getsid(raw(process)) == raw(session));
}

}  // namespace

Numbers::Claim Numbers::describe(EntryId claim, HostPid creator) const {
    return with([&](const auto& model) {
        const EntryId maker = model.entry_of(creator);
        return Claim{.entry = claim,
                     .creator = creator,
                     .space = model.namespace_of(claim),
                     .group = model.host_of(model.group_of(maker)),
                     .session = model.host_of(model.session_of(maker))};
    });
}

std::vector<Numbers::Claim> Numbers::claims() const {
    std::vector<Claim> found;
    with([&](const auto& model) {
        model.each_entry([&](EntryId id, Word word) {
            if (word.is(State::claimed) && word.who() != Word::collector)
                found.push_back(describe(id, word.who()));
        });
    });
    return found;
}

std::vector<Numbers::Claim> Numbers::lost_claims() const {
    std::vector<Claim> lost = claims();
    std::erase_if(lost, [](const Claim& claim) { return !has_ended(claim.creator); });
    return lost;
}

// A namespace's orphans leave it only when its init has ended.
bool Numbers::fits(const Claim& claim, HostPid process, NamespaceId home) const {
    if (!is_in(process, claim.group, claim.session)) return false;
    if (claim.space == home) return true;
    const HostPid init = init_of(claim.space);
    return is_within(claim.space, home) && (init == HostPid::none || has_ended(init));
}

// Of two namespaces to which it may belong, the one that has ended: nobody outlives that.
std::vector<Numbers::Claim>::iterator Numbers::claim_of(HostPid process, NamespaceId home,
                                                        std::vector<Claim>& lost) const {
    const auto fitting = [&](const Claim& claim) { return fits(claim, process, home); };
    const auto from_below =
        std::ranges::find_if(lost, [&](const Claim& claim) { return claim.space != home && fitting(claim); });
    return from_below != lost.end() ? from_below : std::ranges::find_if(lost, fitting);
}

// Every orphan that nobody has registered was claimed, and the claim is still there. Nothing tells whose one
// is that has been reaped, and little what the first process of a namespace takes in.
bool Numbers::may_be_orphan(HostPid host, HostPid parent) const {
    std::vector<Claim> lost = lost_claims();
    if (lost.empty()) return false;
    const NamespaceId home = namespace_of(parent);
    return has_ended(host) || number_of(parent, home) == VirtPid::init ||
           claim_of(host, home, lost) != lost.end();
}

bool Numbers::expects_orphans(NamespaceId space) const {
    return std::ranges::any_of(claims(), [&](const Claim& claim) { return claim.space == space; });
}

// One whose parent may be about to register it as its own is left for the next time.
bool Numbers::adopt_orphans() {
    std::vector<Claim> lost = lost_claims();
    if (lost.empty()) return false;
    const std::vector<Claim> all = claims();
    bool found = false, undecided = false;
    for (const HostPid process : processes_of_host()) {
        if (is_process(process)) continue;
        const Fd pidfd(sys::pidfd_open(raw(process), 0));
        const HostPid parent = pidns::parent_of(process);
        if (!pidfd || !is_process(parent)) continue;
        const auto claim = claim_of(process, namespace_of(parent), lost);
        if (claim == lost.end()) continue;
        const bool may_be_own = std::ranges::any_of(all, [&](const Claim& other) {
            return other.creator == parent && is_in(process, other.group, other.session);
        });
        if (may_be_own) {
            undecided = true;
            continue;
        }
        register_child(claim->entry, process, claim->creator, claim->space);
        const bool open = with([&](const auto& model) { return model.is_open(claim->space); });
        if (!open) sys::pidfd_send_signal(pidfd.get(), SIGKILL);
        lost.erase(claim);
        found = true;
    }
    if (undecided) return found;
    for (const Claim& claim : lost) give_back(claim.entry, claim.creator);
    return found;
}

}  // namespace ctr::pidns
