// Calls whose numbers are in registers: the kernel gets the host's. Where a number is nobody's, or isn't a
// process's, the monitor knows more.
#include "pidns/guest/numbers.h"
#include "pidns/guest/serve.h"
#include "pidns/guest/translate.h"

namespace ctr::pidns::guest {

namespace {

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
    if (row.reads.structure != Structure::none || row.writes.structure != Structure::none)
        return rewrite_memory(frame, row);
    const auto self = Self::find();
    if (!self || !put_hosts_numbers(frame, row, *self)) return ask(frame, row);
    const bool looks = row.result != Kind::none || row.after != pidns::After::nothing;
    if (row.result != Kind::none && row.result != Kind::process && row.result != Kind::group)
        return ask(frame, row);
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

// To one process, by number; a namespace's init doesn't take every signal, and who sends with a siginfo_t
// says who it is.
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
