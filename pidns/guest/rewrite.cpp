// Calls whose numbers are in registers: the kernel gets the host's. Where a number is nobody's, or isn't a process's, the
// monitor knows more.
#include <sys/resource.h>
#include <sys/wait.h>

#include <limits>
#include <optional>

#include "pidns/guest/numbers.h"
#include "pidns/guest/serve.h"

namespace ctr::pidns::guest {

namespace {

constexpr uint64_t extend(int value) {
    return static_cast<uint64_t>(static_cast<int64_t>(value));
}

std::optional<int> process(const Self& self, int number) {
    if (number <= 0) return number;
    return self.mapping.with([&](const auto& model) -> std::optional<int> {
        const EntryId entry = model.find(self.space, VirtPid(number));
        if (!model.is_process(entry)) return {};
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
        default: return {};
    }
}

bool is_init(const Self& self, int host) {
    return self.mapping.with([&](const auto& model) {
        const EntryId entry = model.entry_of(HostPid(host));
        return model.number_in(entry, model.namespace_of(entry)) == VirtPid::init;
    });
}

}  // namespace

bool put_hosts_numbers(Frame& frame, const Row& row, const Self& self) {
    for (unsigned i = 0; i < 3; ++i) {
        if (row.arguments[i] == Kind::none) continue;
        const int selector = i > 0 ? static_cast<int>(frame.made[i - 1]) : 0;
        const auto number = static_cast<int>(frame.arguments[i]);
        const auto host = inward(self, row.arguments[i], number, selector);
        if (!host) return false;
        if (*host != number) frame.made[i] = extend(*host);
    }
    if (!row.all_used)
        frame.made[5] = mark;
    else
        frame.made[0] = upper_mark | static_cast<uint32_t>(frame.made[0]);
    return true;
}

Action rewrite(Frame& frame, const Row& row) {
    if (row.writes.structure == Structure::siginfo) {
        frame.made[5] = mark;
        return look(frame, After::siginfo);
    }
    if (row.reads.structure != Structure::none || row.writes.structure != Structure::none) return ask(frame, row);
    const auto self = Self::find();
    if (!self || !put_hosts_numbers(frame, row, *self)) return ask(frame, row);
    const bool looks = row.result != Kind::none || row.after != pidns::After::nothing;
    if (row.result != Kind::none && row.result != Kind::process && row.result != Kind::group) return ask(frame, row);
    return looks ? look(frame, After::number) : Action::make;
}

// Results and the table, after success.
bool rewritten(Frame& frame) {
    if (frame.result < 0) return false;
    const Row* row = find_row(frame.number, frame.arguments);
    const auto self = Self::find_again();
    if (!row || !self) return false;
    if (row->after == pidns::After::join_group || row->after == pidns::After::lead_session) {
        const bool own = row->after == pidns::After::lead_session || static_cast<int>(frame.made[0]) == 0;
        const HostPid target = own ? self->host : HostPid(static_cast<int>(frame.made[0]));
        const uint64_t number = extend(raw(target));
        const auto led_by = [&](long call) { return HostPid(static_cast<int>(marked(call, number))); };
        const HostPid leader = led_by(SYS_getpgid), session = led_by(SYS_getsid);
        self->mapping.with([&](auto& model) {
            const EntryId entry = model.entry_of(target);
            model.set_group(entry, model.entry_of(leader));
            model.set_session(entry, model.entry_of(session));
        });
    }
    if (row->result != Kind::none && frame.result > 0) frame.result = self->outward(frame.result);
    return false;
}

// To one process, by number; a namespace's init doesn't take every signal, and who sends with a siginfo_t says who it is.
Action send(Frame& frame, const Row& row) {
    const auto number = static_cast<int>(frame.arguments[0]);
    const bool simple = frame.number == SYS_kill || frame.number == SYS_tgkill || frame.number == SYS_tkill;
    const auto self = simple && number > 0 ? Self::find() : std::nullopt;
    if (!self || !put_hosts_numbers(frame, row, *self)) return ask(frame, row);
    const auto host = static_cast<int>(frame.made[0]);
    if (is_init(*self, host)) return ask(frame, row);
    return Action::make;
}

}  // namespace ctr::pidns::guest
