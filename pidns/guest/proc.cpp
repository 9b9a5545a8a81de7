// The common paths into /proc, which are those of ps and its like: the call is made again with the host's
// number in its text, and what lists numbers is translated. All else, and all that is odd, is the monitor's
// (monitor/proc_path.h).
#include "pidns/guest/proc.h"

#include <fcntl.h>

#include "pidns/guest/kernel.h"
#include "pidns/guest/numbers.h"
#include "pidns/guest/proc_name.h"

namespace ctr::pidns::guest {

namespace {

bool opens(uint64_t number) {
    return number == SYS_open || number == SYS_openat;
}

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

// Where a link leads to may be in /proc again.
bool link_carries_numbers(const Frame& frame, const Row& row) {
    char text[256];
    const auto size = static_cast<size_t>(frame.result);
    if (size >= sizeof text) return true;
    const char* target = reinterpret_cast<const char*>(frame.arguments[row.path.path + 1U]);
    for (size_t i = 0; i < size; ++i) text[i] = target[i];
    text[size] = '\0';
    return may_lead_into_proc(text);
}

}  // namespace

bool serve_proc(Frame& frame, const Row& row, const char* path) {
    const auto named = proc_name_of(path);
    if (!named) return false;
    const bool is_link_itself = named->number == 0 && named->name.empty() && reads_link(frame.number);
    const auto self = Self::find();
    if (!self || is_link_itself) return false;
    const HostPid host = named->number == 0 ? self->host : process_of(*self, named->number);
    if (host == HostPid::none || !is_host_procfs(*self)) return false;
    const ProcText real(raw(host), named->name);
    if (named->number != 0) {
        if (opens(frame.number) && frame.result >= 0) marked(SYS_close, static_cast<uint64_t>(frame.result));
        make_with(frame, row, real.text());
    }
    if (frame.result < 0) return true;
    if (reads_link(frame.number)) return !link_carries_numbers(frame, row);
    const uint64_t flags = frame.arguments[row.path.path + 1U];
    const Content content =
        opens(frame.number) && only_reads(flags) ? content_of(real.place()) : Content::none;
    return content == Content::none ||
           replace_by_translation(frame, *self, host, content, real.place(), flags);
}

}  // namespace ctr::pidns::guest
