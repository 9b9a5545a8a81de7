// The common paths into /proc, which are those of ps and its like: the call is made again with the host's
// number in its text, and what lists numbers is translated. All else, and all that is odd, is the monitor's
// (monitor/proc_path.h).
#include "pidns/guest/proc.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/vfs.h>

#include "pidns/guest/kernel.h"
#include "pidns/guest/numbers.h"
#include "pidns/guest/proc_name.h"

namespace ctr::pidns::guest {

namespace {

constexpr int64_t no_result = -1;

bool reads_link(uint64_t number) {
    return number == SYS_readlink || number == SYS_readlinkat;
}

// As the monitor's only_reads().
bool only_reads(uint64_t flags) {
    constexpr uint64_t matters = O_ACCMODE | O_PATH | O_DIRECTORY | O_CREAT | O_EXCL | O_TRUNC | O_TMPFILE;
    return (flags & matters) == O_RDONLY;
}

// A process of the caller's own namespace; who lives further inside has more to look at than its number.
HostPid process_of(const Self& self, int number) {
    return self.mapping.with([&](const auto& model) {
        const EntryId entry = model.find(self.space, VirtPid(number));
        const bool is_near = model.is_process(entry) && model.namespace_of(entry) == self.space;
        return is_near ? model.host_of(entry) : HostPid::none;
    });
}

// Whether a whole procfs is mounted there, one with the host's numbers.
bool is_host_procfs(const Self& self) {
    constexpr char link[] = "/proc/self";
    char text[12];
    const int64_t size =
        marked(SYS_readlink, reinterpret_cast<uint64_t>(link), reinterpret_cast<uint64_t>(text), sizeof text);
    return size > 0 && number_of({text, static_cast<size_t>(size)}) == raw(self.host);
}

void make_with(Frame& frame, const Row& row, const char* path) {
    uint64_t arguments[5];
    for (unsigned i = 0; i < 5; ++i) arguments[i] = frame.arguments[i];
    arguments[row.path.path] = reinterpret_cast<uint64_t>(path);
    frame.result = make(static_cast<long>(frame.number), arguments[0], arguments[1], arguments[2],
                        arguments[3], arguments[4], mark);
}

// Where a link leads to may be in /proc again, below a process.
bool link_carries_numbers(const Frame& frame, const Row& row) {
    const auto* target = reinterpret_cast<const char*>(frame.arguments[row.path.path + 1U]);
    Rest rest({target, static_cast<size_t>(frame.result)});
    while (!rest.empty()) {
        rest.skip({"/", 1});
        Rest name(rest.take_until('/'));
        // "4711 (deleted)" is what a directory is called whose process was reaped.
        if (name.take_number() && (name.empty() || name.skip({" ", 1}))) return true;
    }
    return false;
}

// The name of a file that isn't a process's: its last characters.
bool may_carry_numbers(std::string_view name) {
    char text[longest_proc_name + 1] = {};
    Output(text).put(name);
    return may_name_numbers(text);
}

// The program's own files have the same names inside and outside, and so have those that are nobody's.
bool is_as_it_should_be(const Frame& frame, const Row& row) {
    return frame.result < 0 || !reads_link(frame.number) || !link_carries_numbers(frame, row);
}

bool is_file_of_procfs(int64_t file) {
    struct statfs system;
    return marked(SYS_fstatfs, static_cast<uint64_t>(file), reinterpret_cast<uint64_t>(&system)) == 0 &&
           system.f_type == PROC_SUPER_MAGIC;
}

// The call has been made with the host's number, or as it is if that says "self".
// A stack for signal handlers may have no room for a text and its translation.
bool is_on_alternate_stack() {
    stack_t now{};
    const int64_t got = marked(SYS_sigaltstack, 0, reinterpret_cast<uint64_t>(&now));
    return got != 0 || (now.ss_flags & SS_ONSTACK) != 0;
}

bool finish(Frame& frame, const Row& row, const Self& self, HostPid process, const ProcText& real) {
    if (!opens(frame.number) || frame.result < 0) return is_as_it_should_be(frame, row);
    if (!is_file_of_procfs(frame.result)) return false;
    const uint64_t flags = frame.arguments[row.path.path + 1U];
    const Content content = only_reads(flags) ? content_of(real.place()) : Content::none;
    if (content == Content::none) return true;
    return !is_on_alternate_stack() &&
           replace_by_translation(frame, self, process, content, real.place(), flags);
}

bool serve_process(Frame& frame, const Row& row, const ProcName& named) {
    const auto self = Self::find();
    const HostPid host = self ? process_of(*self, named.number) : HostPid::none;
    if (host == HostPid::none) return false;
    const ProcText real(raw(host), named.name);
    make_with(frame, row, real.text());
    const bool tells_by_itself = opens(frame.number) && frame.result >= 0;
    return (tells_by_itself || is_host_procfs(*self)) && finish(frame, row, *self, host, real);
}

bool serve_self(Frame& frame, const Row& row, const ProcName& named) {
    if (named.name.empty()) return !reads_link(frame.number);
    const auto self = Self::find();
    return self && finish(frame, row, *self, self->host, ProcText(raw(self->host), named.name));
}

}  // namespace

// What the kernel has written is longer than what comes in its place, and many expect zeroes behind that.
void give_up(Frame& frame) {
    if (opens(frame.number) && frame.result >= 0) marked(SYS_close, static_cast<uint64_t>(frame.result));
    if (reads_link(frame.number)) {
        auto* text = reinterpret_cast<char*>(frame.arguments[frame.number == SYS_readlink ? 1 : 2]);
        for (int64_t i = 0; i < frame.result; ++i) text[i] = '\0';
    }
    frame.result = no_result;
}

bool serve_proc(Frame& frame, const Row& row, const char* path) {
    const auto named = proc_name_of(path);
    if (!named) return false;
    switch (named->whose) {
        case ProcName::Whose::nobody:
            return !may_carry_numbers(named->name) && is_as_it_should_be(frame, row);
        case ProcName::Whose::self: return serve_self(frame, row, *named);
        case ProcName::Whose::process: break;
    }
    give_up(frame);
    return serve_process(frame, row, *named);
}

std::optional<Action> serve_proc_at_once(Frame& frame, const Row& row, const char* path) {
    constexpr uint64_t page = 4096;
    const auto place = reinterpret_cast<uint64_t>(path);
    if (place / page != reinterpret_cast<uint64_t>(&frame.back) / page) return {};
    const auto named = proc_name_of(path, page - place % page);
    if (!named || named->whose != ProcName::Whose::process) return {};
    frame.result = no_result;
    if (serve_process(frame, row, *named)) return Action::done;
    give_up(frame);
    return ask(frame, row);
}

}  // namespace ctr::pidns::guest
