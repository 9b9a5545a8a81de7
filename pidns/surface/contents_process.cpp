// The files below /proc/<number> that only the monitor translates.
#include "pidns/surface/contents_parts.h"
#include "pidns/surface/contents_status.h"

namespace ctr::pidns {

using namespace std::string_view_literals;

namespace {

// Of a pidfd.
constexpr status_parts::Label fdinfo_labels[] = {
    {"Pid:\t", status_parts::Form::number, Bearer::thread, true},
    {"NSpid:\t", status_parts::Form::list, Bearer::thread},
};

// " (4711, #threads: 1)" at the end of a line. The name before it may hold anything, but is too short for all
// of that, so the first one is it.
struct SchedHead {
    size_t at;  // of the number
    int own;
    size_t length;
};

std::optional<SchedHead> find_sched_head(std::string_view text) {
    for (Rest rest(text); !rest.empty(); rest.take(1)) {
        Rest ahead = rest;
        if (!ahead.skip(" ("sv)) continue;
        const size_t at = text.size() - ahead.text().size();
        const auto own = ahead.take_number();
        const size_t length = text.size() - ahead.text().size() - at;
        if (own && ahead.skip(", #threads: "sv) && ahead.take_number() && ahead.skip(")\n"sv))
            return SchedHead{at, *own, length};
    }
    return std::nullopt;
}

// "notify: signal/pid.4711", "notify: signal/tid.4711"
bool put_notify(std::string_view value, const View& view, Output& out) {
    Rest rest(value);
    rest.take_until('/');
    const bool thread = rest.skip("/tid."sv);
    if (!thread && !rest.skip("/pid."sv)) return false;
    out.put(std::string_view(value.data(), value.size() - rest.text().size()));
    const auto host = number_of(rest.text());
    if (host) out.put_number(seen(view, thread ? Bearer::thread : Bearer::process, *host));
    return host.has_value();
}

}  // namespace

// The clock of a process's or thread's time is the complement of its number, above three bits
// (include/linux/posix-timers_types.h). The kernel keeps it as the caller gave it; in the layer that is the
// host's number, because timer_create() itself takes no other.
int seen_clock(const View& view, int clock) {
    constexpr int low_bits = 3;
    constexpr int thread_bit = 4;
    constexpr int kind_bits = 3;
    constexpr int of_descriptor = 3;
    if (clock >= 0 || (clock & kind_bits) == of_descriptor) return clock;
    const int host = ~(clock >> low_bits);
    const int own = seen(view, (clock & thread_bit) != 0 ? Bearer::thread : Bearer::process, host);
    return static_cast<int>(~static_cast<unsigned>(own) << low_bits) | (clock & ((1 << low_bits) - 1));
}

bool put_sched(std::string_view text, const View& view, Output& out) {
    Rest rest(text);
    const auto head = find_sched_head(text);
    if (!head) return false;
    out.put(rest.take(head->at));
    rest.take(head->length);
    out.put_number(seen(view, Bearer::thread, head->own));
    while (!rest.empty()) {
        const auto line = rest.take_line();
        if (!line) return false;
        // As Ngid of status: "current_node=0, numa_group_id=4711".
        Rest numa(*line);
        const bool names_group =
            numa.skip("current_node="sv) && numa.take_number() && numa.skip(", numa_group_id="sv);
        if (names_group) {
            out.put(std::string_view(line->data(), line->size() - numa.text().size()));
            const auto group = number_of(numa.text());
            if (!group) return false;
            out.put_number(seen(view, Bearer::thread, *group));
        } else {
            out.put(*line);
        }
        out.put('\n');
    }
    return true;
}

bool put_fdinfo(std::string_view text, const View& view, Output& out) {
    status_parts::Labelled lines(fdinfo_labels, view, out);
    for (Rest rest(text); !rest.empty(); out.put('\n')) {
        const auto taken = rest.take_line();
        if (!taken) return false;
        Rest line(*taken);
        if (line.skip("lock:\t"sv)) {
            const auto lock = lock_of(line.text());
            if (!lock) return false;
            out.put("lock:\t"sv);
            put_lock(*lock, view, out);
        } else if (!lines.put_line(line)) {
            return false;
        }
    }
    return true;
}

bool put_timers(std::string_view text, const View& view, Output& out) {
    for (Rest rest(text); !rest.empty(); out.put('\n')) {
        const auto taken = rest.take_line();
        if (!taken) return false;
        Rest line(*taken);
        if (line.skip("notify: "sv)) {
            out.put("notify: "sv);
            if (!put_notify(line.text(), view, out)) return false;
        } else if (line.skip("ClockID: "sv)) {
            const auto clock = number_of(line.text());
            if (!clock) return false;
            out.put("ClockID: "sv);
            out.put_number(seen_clock(view, *clock));
        } else {
            out.put(line.text());
        }
    }
    return true;
}

}  // namespace ctr::pidns
