// The files below /proc/<number>.
#include <span>

#include "pidns/surface/contents_parts.h"

namespace ctr::pidns {

using namespace std::string_view_literals;

namespace {

// A number in each namespace of a process, from the reader's down.
struct Levels {
    static constexpr size_t most = 33;  // the kernel's MAX_PID_NS_LEVEL and the initial one
    int number[most] = {};
    size_t count = 0;
};

Levels levels_of(const View& view, Bearer bearer, int host, int member) {
    Levels levels;
    const bool only_thread = host > 0 && bearer == Bearer::thread && view.process(host) == 0;
    const bool same_in_all = host <= 0 || only_thread;
    const size_t count =
        member > 0 ? view.numbers(same_in_all ? member : host, member, levels.number, Levels::most) : 0;
    levels.count = count == 0 ? 1 : count;  // somebody who can't be seen is one 0
    if (same_in_all || count == 0)
        for (size_t i = 0; i < levels.count; ++i) levels.number[i] = seen(view, bearer, host);
    return levels;
}

// A list as the host's kernel printed it; its first number is the host's. Those after it would be of kernel
// namespaces below, in whose place the layer's are seen.
std::optional<int> first_of_list(std::string_view list) {
    Rest rest(list);
    const auto first = rest.take_number();
    while (!rest.empty())
        if (!rest.skip("\t"sv) || !rest.take_number()) return std::nullopt;
    return first;
}

enum class Form : uint8_t { number, list, lock };

// At a line's start: a lookalike in the process's name is none, because there the kernel escapes line ends.
struct Label {
    std::string_view name;
    Form form;
    Bearer bearer = Bearer::process;
    bool member = false;  // names the process whose namespaces the lists below are about
};

// The kernel itself doesn't translate Ngid, so shows the host's number. It serves for comparison only, which
// it still does this way.
constexpr Label status_labels[] = {
    {"Tgid:\t", Form::number, Bearer::process, true},
    {"Ngid:\t", Form::number, Bearer::thread},
    {"Pid:\t", Form::number, Bearer::thread},
    {"PPid:\t", Form::number},
    {"TracerPid:\t", Form::number, Bearer::thread},
    {"NStgid:\t", Form::list},
    {"NSpid:\t", Form::list, Bearer::thread},
    {"NSpgid:\t", Form::list},
    {"NSsid:\t", Form::list},
};

// Of a pidfd, and of a file with locks.
constexpr Label fdinfo_labels[] = {
    {"Pid:\t", Form::number, Bearer::thread, true},
    {"NSpid:\t", Form::list, Bearer::thread},
    {"lock:\t", Form::lock},
};

class Labelled {
  public:
    Labelled(std::span<const Label> labels, const View& view, Output& out)
        : labels_(labels), view_(view), out_(out) {}

    bool put(std::string_view text) {
        for (Rest rest(text); !rest.empty(); out_.put('\n')) {
            const auto line = rest.take_line();
            if (!line || !put_line(Rest(*line))) return false;
        }
        return true;
    }

  private:
    bool put_line(Rest line) {
        for (const Label& label : labels_)
            if (line.skip(label.name)) {
                out_.put(label.name);
                return put_value(label, line.text());
            }
        out_.put(line.text());
        return true;
    }

    bool put_value(const Label& label, std::string_view value) {
        if (label.form == Form::lock) {
            const auto lock = lock_of(value);
            if (lock) put_lock(*lock, view_, out_);
            return lock.has_value();
        }
        const auto host = label.form == Form::list ? first_of_list(value) : number_of(value);
        if (!host) return false;
        if (label.member) member_ = *host;
        if (label.form == Form::number) {
            out_.put_number(seen(view_, label.bearer, *host));
            return true;
        }
        const Levels levels = levels_of(view_, label.bearer, *host, member_);
        for (size_t i = 0; i < levels.count; ++i) {
            if (i > 0) out_.put('\t');
            out_.put_number(levels.number[i]);
        }
        return true;
    }

    std::span<const Label> labels_;
    const View& view_;
    Output& out_;
    int member_ = 0;
};

enum class Treatment : uint8_t {
    none,
    process,
    hidden,          // 0 for who may not inspect the process
    hidden_as_text,  // 1 for them if there is any, as start and end of the code
};

struct Fields {
    size_t first;  // as in proc(5), from 1
    size_t last;
    Treatment treatment;
};

constexpr Fields stat_fields[] = {
    {4, 6, Treatment::process},           // parent, group, session
    {8, 8, Treatment::process},           // foreground group of the terminal
    {26, 27, Treatment::hidden_as_text},  // code
    {28, 30, Treatment::hidden},          // stack; stack and instruction pointer
    {35, 35, Treatment::hidden},          // wait channel
    {45, 52, Treatment::hidden},          // data, heap, arguments, environment; exit code
};
constexpr size_t last_stat_field = 52;

Treatment treatment_of(size_t number) {
    for (const Fields& fields : stat_fields)
        if (number >= fields.first && number <= fields.last) return fields.treatment;
    return Treatment::none;
}

bool put_stat_field(size_t number, std::string_view value, const View& view, Output& out) {
    const Treatment treatment = treatment_of(number);
    if (treatment == Treatment::process) {
        const auto host = number_of(value);
        if (host) out.put_number(seen(view, Bearer::process, *host));
        return host.has_value();
    }
    if (treatment == Treatment::none || view.may_inspect() || same(value, "0"sv))
        out.put(value);
    else
        out.put(treatment == Treatment::hidden ? '0' : '1');
    return !value.empty();
}

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

// "4711 (name) S 1 4711 ..." The name may hold anything, what comes after it no parenthesis.
bool put_stat(std::string_view text, const View& view, Output& out) {
    Rest rest(text);
    const auto own = rest.take_number();
    size_t end = rest.text().size();
    while (end > 0 && rest.text()[end - 1] != ')') --end;
    const std::string_view name = rest.take(end);
    const auto line = rest.take_line();
    if (!own || !Rest(name).skip(" ("sv) || !line || !rest.empty()) return false;
    out.put_number(seen(view, Bearer::thread, *own));
    out.put(name);
    size_t number = 2;
    for (Rest fields(*line); !fields.empty();) {
        if (!fields.skip(" "sv)) return false;
        out.put(' ');
        if (!put_stat_field(++number, fields.take_until(' '), view, out)) return false;
    }
    out.put('\n');
    return number >= last_stat_field;
}

bool put_status(std::string_view text, const View& view, Output& out) {
    return Labelled(status_labels, view, out).put(text);
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
    return Labelled(fdinfo_labels, view, out).put(text);
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
