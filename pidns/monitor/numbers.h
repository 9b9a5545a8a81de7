// The numbers of one container, as its monitor keeps them: the file with the chosen model
// (pidns/model/file.h), and when a number ends.
//
// An entry is *stale* when its process was reaped unseen: by the kernel because its parent ignores SIGCHLD,
// or when a parent outside the layer's sight took it. A stale entry is harmless while the host doesn't use
// the number again, which takes the kernel a round through all its numbers (at least 32 768 forks, more than
// a second); so a collection that is never older than collect_interval before a number is translated keeps
// every answer right without looking at the process each time. A host number that is registered again drops
// its old entry at once.
#pragma once

#include <chrono>
#include <variant>
#include <vector>

#include "pidns/model/file.h"
#include "pidns/monitor/mapping.h"
#include "runtime/base/error.h"
#include "runtime/base/fd.h"
#include "runtime/base/ids.h"

namespace ctr::pidns {

class Numbers {
  public:
    static constexpr std::chrono::milliseconds collect_interval{250};

    // Makes an empty table for this host's range of numbers. pid_max: as kernel.pid_max, for each namespace.
    static Result<Numbers> create(Model model, uint32_t pid_max);

    Numbers(Numbers&&) noexcept = default;
    Numbers& operator=(Numbers&&) = delete;
    ~Numbers() = default;

    // The file, for whoever else is to read or write the numbers. It lives as long as a descriptor of it.
    const Fd& file() const { return file_; }

    // The container's first process becomes 1 of the root namespace, leader of its group and session.
    void register_init(HostPid host);

    // A namespace below; none: too deep, or too many (ENOSPC). It lives until all in it have ended, or until
    // `creator` has ended without making a process in it.
    NamespaceId create_namespace(NamespaceId parent, HostPid creator);

    // Its init has ended: nothing can be born in it any more, and its remains are nobody to those outside.
    void end_namespace(NamespaceId space);

    // Numbers for a process that is about to be created; none: all are in use (EAGAIN).
    EntryId reserve(NamespaceId space, HostPid creator);
    void give_back(EntryId claim, HostPid creator);  // of a creator that has been killed: nothing

    // Whether its bearer will have a number in that namespace.
    bool shows(EntryId claim, NamespaceId space) const;

    // The process exists now, in the group and session of its creator. If that has been killed meanwhile its
    // claim may have been collected, and be another's: then the child gets new numbers in the namespace.
    void register_child(EntryId claim, HostPid host, HostPid creator, NamespaceId space);

    // A process of the container that nobody registered (its creator bypassed the layer, is about to register
    // it, or was killed): has the number that PARENT, who has it or has reaped it, claimed for it, or takes
    // the next one.
    void adopt(HostPid host, NamespaceId space, HostPid parent);

    // Registers the processes whose creators were killed before they could: with the claims that those have
    // left, in their namespaces. Those of a namespace that has ended are killed. Whether there were any.
    bool adopt_orphans();

    // There may be one in that namespace of which it can't be said yet.
    bool expects_orphans(NamespaceId space) const;

    bool is_process(HostPid host) const;  // of the container, not reaped yet
    bool knows(HostPid host) const;       // a process, or a number that a group or session still bears
    NamespaceId namespace_of(HostPid host) const;    // none: unknown
    NamespaceId parent_of(NamespaceId space) const;  // none: of the root
    HostPid init_of(NamespaceId space) const;        // none: it has ended, or there was none yet
    bool is_within(NamespaceId space, NamespaceId ancestor) const;  // also when they are the same

    // Handed out last, and the end of the range (as kernel.ns_last_pid and kernel.pid_max).
    VirtPid last_number(NamespaceId space) const;
    int limit() const { return static_cast<int>(pid_max_); }

    VirtPid number_of(HostPid host, NamespaceId space) const;
    HostPid host_of(NamespaceId space, VirtPid number) const;

    // A wait has just reported this process: its number ends if that reaped it.
    void reported(HostPid host);

    // Reads the kernel's group and session of a process again, after it changed them.
    void refresh(HostPid host);

    // From now on the code inside workloads takes nothing for granted about where a procfs is.
    void note_procfs_elsewhere();

    // Whose calls the code inside workloads leaves to the monitor.
    Attention& attention() { return attention_; }

    // Nobody has registered it, and the parent whose child it is may be about to, or have taken it in.
    bool is_promised(HostPid host) const;

    // Tells a process from a later one of the same number; 0: unknown.
    uint64_t birth_of(HostPid host) const;

    // Called before each translation; collects when the last collection is older than the interval. Whether
    // it did.
    bool collect_stale();

    // Calls visit(HostPid) for every process of the container.
    template <class Visitor>
    void each_process(Visitor visit) const {
        with([&](const auto& model) {
            model.each_process([&](EntryId entry) { visit(model.host_of(entry)); });
        });
    }

  private:
    using AnyModel = std::variant<FlatNumbering, HashNumbering, ListNumbering>;

    Numbers(Fd file, Mapping mapping, const FileHeader& header);
    void collect();
    bool is_ambiguous(EntryId claim, NamespaceId space) const;

    // What a claim says about the process that it was made for (orphans.cpp).
    struct Claim {
        EntryId entry;
        HostPid creator;
        NamespaceId space;
        HostPid group;  // the creator's, none: unknown
        HostPid session;
    };
    Claim describe(EntryId claim, HostPid creator) const;
    std::vector<Claim> claims() const;
    std::vector<Claim> lost_claims() const;  // of creators that have ended
    bool fits(const Claim& claim, HostPid process, NamespaceId home) const;
    std::vector<Claim>::iterator claim_of(HostPid process, NamespaceId home, std::vector<Claim>& lost) const;
    bool may_be_orphan(HostPid host, HostPid parent) const;

    template <class Action>
    decltype(auto) with(Action action) const {
        return std::visit(action, model_);
    }
    template <class Action>
    decltype(auto) with(Action action) {
        return std::visit(action, model_);
    }

    Fd file_;
    Mapping mapping_;
    AnyModel model_;
    Attention attention_;
    uint32_t pid_max_;
    std::chrono::steady_clock::time_point collected_;
};

}  // namespace ctr::pidns
