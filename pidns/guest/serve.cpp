// The middle: from a call to its way, and from its result to who looks at it.
#include "pidns/guest/serve.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>

#include "pidns/guest/numbers.h"
#include "pidns/guest/small_stack.h"
#include "pidns/surface/rows.h"

namespace ctr::pidns::guest {

namespace {

// Without names and groups no address is in them, which nobody would relocate.
constexpr std::array<Row, surface::row_count> strip() {
    std::array<Row, surface::row_count> stripped{};
    for (unsigned i = 0; i < stripped.size(); ++i) {
        const Call& row = surface::rows[i];
        stripped[i] = {static_cast<uint16_t>(row.number),
                       row.way,
                       {row.arguments[0], row.arguments[1], row.arguments[2]},
                       row.result,
                       row.reads,
                       row.writes,
                       row.path,
                       row.second_path,
                       row.changes,
                       row.after,
                       row.all_used,
                       row.when,
                       row.and_when};
    }
    return stripped;
}
constexpr std::array<Row, surface::row_count> rows = strip();
constexpr surface::Index rows_by_call = surface::index_of_rows();

// entry.S makes all other reads at once.
static_assert(std::ranges::all_of(surface::rows, [](const Call& row) {
    return row.number != SYS_read ||
           (row.when.argument == 2 && row.when.mask == ~uint64_t{0} && !row.when.differs &&
            row.when.value % SIGNAL == 0 && row.when.value <= MOST_SIGNALS);
}));

Action serve(Frame& frame, const Row& row) {
    switch (row.way) {
        case Way::answer: return answer(frame, row);
        case Way::rewrite: return row.after == pidns::After::reap ? wait(frame, row) : rewrite(frame, row);
        case Way::create: return create(frame, row);
        case Way::send: return send(frame, row);
        case Way::observe: return set_handler(frame, row);
        case Way::path:
            return row.path.path == PathArguments::none ? describe(frame, row) : follow_path(frame, row);
        case Way::paths: return follow_paths(frame, row);
        case Way::address: return follow_address(frame, row);
        case Way::list: return list(frame, row);
        case Way::reread: return reread(frame, row);
        case Way::dequeue: return dequeue(frame, row);
        case Way::message: return message(frame, row);
        case Way::lock: return lock_memory(frame);
        default: return ask(frame, row);
    }
}

// Where there is room for some function calls: not for a child, nor for texts of /proc.
bool may_be_served(const Row& row) {
    switch (row.way) {
        case Way::answer:
        case Way::rewrite:
        case Way::send:
        case Way::observe:
        case Way::list:
        case Way::reread:
        case Way::dequeue:
        case Way::message: return true;
        default: return false;
    }
}

// Without a call of the guest's own, but for the close of what turned out to be a file of /proc.
bool is_served_quietly(const Frame& frame, const Row& row) {
    if (row.way == Way::create) return true;
    if (row.way != Way::path) return false;
    return row.path.path == PathArguments::none || can_be_made_twice(frame.number, frame.arguments);
}

// A filter without a program is only a question what the kernel can do (libseccomp asks it).
bool installs_filter(uint64_t number, const uint64_t* arguments) {
    constexpr uint64_t strict = SECCOMP_SET_MODE_STRICT, filter = SECCOMP_SET_MODE_FILTER;
    if (number == SYS_prctl) return arguments[0] == PR_SET_SECCOMP;
    if (number != SYS_seccomp) return false;
    return arguments[0] == strict || (arguments[0] == filter && arguments[2] != 0);
}

bool is_for_all_threads(uint64_t number, const uint64_t* arguments) {
    return number == SYS_seccomp && (arguments[1] & SECCOMP_FILTER_FLAG_TSYNC) != 0;
}

void install_filter(uint64_t number, const uint64_t* arguments) {
    return is_for_all_threads(number, arguments) ? Mapping::be_quiet_everywhere() : Mapping::be_quiet();
}

bool filter_installed(const Frame& frame) {
    if (frame.result < 0 && !is_for_all_threads(frame.number, frame.arguments)) Mapping::be_loud();
    return false;
}

// The monitor's answer, or the news that there is none. Where there is no layer it was the kernel's.
bool was_asked(Frame& frame) {
    const bool unheard = frame.result == eintr && frame.clobbered != answered_mark &&
                         (Mapping::is_quiet() || asked(SYS_prctl, layer_question) != einval);
    const bool is_action = frame.number == SYS_rt_sigaction;
    if (frame.result == do_it_yourself) {
        frame.made[5] = mark;
        frame.next = static_cast<uint32_t>(is_action ? After::handler : After::nothing);
        return true;
    }
    if (is_action) handler_set(frame);
    return unheard;
}

}  // namespace

const Row* find_row(uint64_t number, const uint64_t* arguments) {
    if (number >= surface::call_count) return nullptr;
    for (unsigned at = rows_by_call.first[number]; at != 0; at = rows_by_call.next[at]) {
        const Row& row = rows[at - 1];
        if (surface::holds(row.when, arguments) && surface::holds(row.and_when, arguments)) return &row;
    }
    return nullptr;
}

Action ask(Frame& frame, const Row& row) {
    for (unsigned i = 0; i < 5; ++i) frame.made[i] = frame.arguments[i];
    if (row.all_used) return Action::make;
    frame.made[5] = asked_mark;
    return look(frame, After::asked);
}

Action pass(Frame& frame) {
    frame.made[5] = mark;
    return Action::make;
}

Action look(Frame& frame, After after) {
    frame.next = static_cast<uint32_t>(after);
    return Action::look;
}

namespace {

constexpr uint64_t word = 8;

uint64_t page_of(uint64_t address) {
    constexpr uint64_t page = 4096;
    return address / page;
}

}  // namespace

bool is_readable(uint64_t stack, uint64_t address) {
    if (page_of(address) == page_of(stack) && page_of(address + word - 1) == page_of(stack)) return true;
    // The kernel reads the set before it sees that there is no such way of changing the mask.
    constexpr uint64_t no_way = 3;
    return address != 0 && marked(SYS_rt_sigprocmask, no_way, address, 0, word) != efault;
}

bool is_readable(uint64_t stack, uint64_t address, uint64_t size) {
    const uint64_t last = address + size - word;
    return is_readable(stack, address) &&
           (page_of(address) == page_of(last + word - 1) || is_readable(stack, last));
}

extern "C" {

__attribute__((visibility("hidden"))) Action guest_before(Frame& frame) {
    const Row* row = find_row(frame.number, frame.arguments);
    if (installs_filter(frame.number, frame.arguments)) {
        install_filter(frame.number, frame.arguments);
        return look(frame, After::filter);
    }
    if (row && Mapping::has_no_layer() && row->way != Way::create)
        return frame.number == SYS_rt_sigaction ? look(frame, After::handler) : Action::make;
    if (row && Mapping::is_quiet() && !is_served_quietly(frame, *row)) return ask(frame, *row);
    if (row) return serve(frame, *row);
    if (frame.number == SYS_clone) return create_unseen(frame);
    // An old handler is asked for without a new one.
    return frame.number == SYS_rt_sigaction ? look(frame, After::handler) : Action::make;
}

__attribute__((visibility("hidden"))) bool guest_after(Frame& frame) {
    switch (static_cast<After>(frame.next)) {
        case After::nothing: return false;
        case After::asked: return was_asked(frame);
        case After::path: return followed_path(frame);
        case After::change: return changed(frame);
        case After::file: return described(frame);
        case After::directory: return named_directory(frame);
        case After::wait:
        case After::waitid: return waited(frame);
        case After::number: return rewritten(frame);
        case After::memory: return memory_written(frame);
        case After::siginfo: return took_signal(frame);
        case After::message: return received(frame);
        case After::handler: return handler_set(frame);
        case After::creation: return has_created(frame);
        case After::filter: return filter_installed(frame);
    }
    return false;
}

// On a stack that may be small: a path that concerns no number passes, and what isn't a path's is served if
// there is room for it. All else goes to the monitor.
__attribute__((visibility("hidden"))) SmallStackWay guest_way(uint64_t number, const uint64_t* arguments) {
    const Row* row = find_row(number, arguments);
    const auto stack = reinterpret_cast<uint64_t>(arguments);
    const bool asks_for_handler = !row && number == SYS_rt_sigaction;
    if (installs_filter(number, arguments)) {
        if (has_room(stack)) return SmallStackWay::serve;
        install_filter(number, arguments);
    }
    if ((!row && !asks_for_handler) || Mapping::is_quiet()) return SmallStackWay::monitor;
    if (asks_for_handler || may_be_served(*row))
        return has_room(stack) ? SmallStackWay::serve : SmallStackWay::monitor;
    if (row->way != Way::path || row->path.path == PathArguments::none) return SmallStackWay::monitor;
    const uint64_t path = arguments[row->path.path];
    const FromRoot from_root = number == SYS_openat2 ? FromRoot::no : FromRoot::is_known;
    const bool passes = is_readable(stack, path) &&
                        !may_lead_into_proc(stack, reinterpret_cast<const char*>(path), from_root);
    return passes ? SmallStackWay::pass : SmallStackWay::monitor;
}

}  // extern "C"

}  // namespace ctr::pidns::guest
