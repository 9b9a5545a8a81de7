#include "pidns/guest/translate.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <limits>

namespace ctr::pidns::guest {

namespace {

std::optional<int> process(const Self& self, int number) {
    if (number <= 0) return number;
    return self.mapping.with([&](const auto& model) -> std::optional<int> {
        const EntryId entry = model.find(self.space, VirtPid(number));
        if (!model.is_process(entry)) return {};
        // What is left of a namespace that has ended is nobody.
        const NamespaceId space = model.namespace_of(entry);
        if (space != self.space && !model.is_open(space)) return {};
        return raw(model.host_of(entry));
    });
}

std::optional<int> group(const Self& self, int number) {
    if (number <= 0) return number;
    const HostPid host = self.host_of(number);
    return host == HostPid::none ? std::nullopt : std::optional(raw(host));
}

bool has_thread(int process, int thread) {
    const int64_t found = marked(SYS_tgkill, extend(process), extend(thread), 0);
    return found == 0 || found == eperm;
}

std::optional<int> thread(const Self& self, int number) {
    if (number <= 0 || has_thread(raw(self.host), number)) return number;
    return process(self, number);
}

}  // namespace

std::optional<int> inward(const Self& self, Kind kind, int number, int selector) {
    const bool names_group = number < -1 && number != std::numeric_limits<int>::min();
    switch (kind) {
        case Kind::none: return number;
        case Kind::process: return process(self, number);
        case Kind::group: return group(self, number);
        case Kind::thread: return thread(self, number);
        case Kind::thread_in:
            if (number <= 0 || has_thread(selector, number)) return number;
            return raw(self.host_of(number)) == selector ? std::optional(selector) : std::nullopt;
        case Kind::wait_target:
        case Kind::kill_target:
            if (!names_group) return process(self, number);
            if (const auto found = group(self, -number)) return -*found;
            return {};
        case Kind::wait_id:
            if (selector == P_PID) return process(self, number);
            return selector == P_PGID ? group(self, number) : number;
        case Kind::who:
            if (selector == PRIO_PROCESS) return thread(self, number);
            return selector == PRIO_PGRP ? group(self, number) : number;
        case Kind::owner:
            if (!names_group) return process(self, number);
            if (const auto found = group(self, -number)) return -*found;
            return {};
        case Kind::owner_ex:
            if (selector == F_OWNER_TID) return thread(self, number);
            return selector == F_OWNER_PGRP ? group(self, number) : process(self, number);
        case Kind::clock: return number >= 0 ? std::optional(number) : std::nullopt;
        default: return {};
    }
}

int outward(const Self& self, Kind kind, int host, int selector) {
    if (host < 0) return kind == Kind::owner && host != -1 ? -self.outward(-host) : host;
    if (host == 0) return 0;
    const int number = self.outward(host);
    const bool may_be_thread = kind == Kind::thread || (kind == Kind::owner_ex && selector == F_OWNER_TID);
    return number == 0 && may_be_thread && has_thread(raw(self.host), host) ? host : number;
}

}  // namespace ctr::pidns::guest
