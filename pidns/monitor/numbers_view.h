// The numbers of a container for those outside of it who want to look: reads the file that its monitor keeps
// (pidns/model/file.h), never writes to it, and disturbs nobody.
//
// The file may hold anything: what is no such file is refused, and every answer is within the limits, but it
// can be a lie. A reader that must know whether a process belongs to the container asks the kernel.
//
// Host numbers are those of the monitor's pid namespace.
#pragma once

#include <variant>
#include <vector>

#include "pidns/model/file.h"
#include "pidns/monitor/mapping.h"
#include "runtime/base/error.h"
#include "runtime/base/ids.h"

namespace ctr::pidns {

class NumbersView {
  public:
    // The descriptor stays the caller's, needs to be readable only, and isn't used afterwards.
    static Result<NumbersView> open(int fd);

    Model model() const { return header_.model; }
    const Limits& limits() const { return header_.limits; }

    // The container's first process; none: it isn't registered yet.
    HostPid init() const { return header_.init; }

    // none: no process that lives.
    NamespaceId namespace_of(HostPid host) const;
    NamespaceId parent_of(NamespaceId space) const;  // none: of the root

    // none: it can't be seen from that namespace.
    VirtPid number_of(HostPid host, NamespaceId space) const;

    // The numbers of a process from the root of the container to its own namespace, one for each level; none
    // where it can't be seen. Empty: no process that lives.
    std::vector<VirtPid> numbers_of(HostPid host) const;

    // Calls visit(HostPid) for every process that lives.
    template <class Visitor>
    void each_process(Visitor visit) const {
        with([&](const auto& model) {
            model.each_process([&](EntryId entry) {
                if (const HostPid host = model.host_of(entry); host != HostPid::none) visit(host);
            });
        });
    }

  private:
    using AnyModel = std::variant<FlatNumbering, HashNumbering, ListNumbering>;

    NumbersView(const FileHeader& header, Mapping mapping);

    template <class Action>
    decltype(auto) with(Action action) const {
        return std::visit(action, model_);
    }

    FileHeader header_;
    Mapping mapping_;
    AnyModel model_;
};

}  // namespace ctr::pidns
