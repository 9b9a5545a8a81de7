// Numbers that are written to a cgroup's list of members: by threads with call stops (tracer.h).
#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "pidns/monitor/memory.h"
#include "pidns/monitor/procfs.h"
#include "pidns/monitor/server.h"

namespace ctr::pidns {

namespace {

// Made in place of the program's; in no table, because a filter can't see what the descriptor is.
constexpr Call write_members{.name = "write to cgroup.procs", .way = Way::rewrite};

// Longer than any number, blanks included.
constexpr size_t most = 64;

bool is_write(long number) {
    return number == SYS_write || number == SYS_pwrite64;
}
bool is_vector_write(long number) {
    return number == SYS_writev || number == SYS_pwritev || number == SYS_pwritev2;
}

bool may_close(long number) {
    return number == SYS_close || number == SYS_dup2 || number == SYS_dup3 || number == SYS_close_range;
}

// What a call writes; nothing if it can't be read, or is too long to be a number.
std::optional<std::string> text_of(const ProcessMemory& memory, long number,
                                   const Registers::Arguments& arguments) {
    if (is_write(number))
        return arguments[2] <= most ? memory.read_exactly(arguments[1], arguments[2]) : std::nullopt;
    constexpr size_t most_parts = 8;
    if (arguments[2] > most_parts) return {};
    std::string text;
    for (size_t i = 0; i < arguments[2]; ++i) {
        const auto part = memory.read<iovec>(arguments[1] + i * sizeof(iovec));
        if (!part || part->iov_len > most - text.size()) return {};
        const auto bytes = memory.read_exactly(reinterpret_cast<uint64_t>(part->iov_base), part->iov_len);
        if (!bytes) return {};
        text += *bytes;
    }
    return text;
}

// As the kernel reads it: blanks around it, and any of C's bases.
std::optional<int> number_in(const std::string& text) {
    const char* const blanks = " \t\n\v\f\r";
    const size_t end = text.find_last_not_of(blanks, std::min(text.find('\0'), text.size()) - 1);
    char* rest = nullptr;
    errno = 0;
    const long number = std::strtol(text.c_str(), &rest, 0);
    if (text.empty() || errno != 0 || rest != text.c_str() + end + 1) return {};
    return number == static_cast<int>(number) ? std::optional(static_cast<int>(number)) : std::nullopt;
}

}  // namespace

// 0 is the thread that writes, to the kernel as well; and what isn't a number at all the kernel refuses.
std::optional<Rewrite> CallServer::entered(HostPid thread, const Registers& registers) {
    const bool is_vector = is_vector_write(registers.call());
    if (!is_vector && !is_write(registers.call())) return {};
    Caller caller{thread, process_of_thread(thread)};
    caller.space = numbers_.namespace_of(caller.process);
    Rewrite rewrite{.call = &write_members, .caller = caller, .original = registers.arguments()};
    const Kind kind = files_.written(caller, static_cast<int>(rewrite.original[0]));
    if (kind == Kind::none) return {};
    const ProcessMemory memory(thread);
    const auto text = text_of(memory, registers.call(), rewrite.original);
    const auto number = text ? number_in(*text) : std::nullopt;
    if (!number || *number <= 0) return {};

    // A vector's only part lies before the text.
    const std::string shown = std::to_string(translator_.inward(kind, caller, *number, 0));
    const size_t before = is_vector ? sizeof(iovec) : 0;
    rewrite.scratch = lay_down(memory, registers.stack(), std::string(before, 0) + shown);
    rewrite.arguments = rewrite.original;
    // Without room the kernel finds no text (EFAULT) rather than the host's process.
    rewrite.arguments[1] = rewrite.scratch ? rewrite.scratch->address : 0;
    rewrite.arguments[2] = is_vector ? 1 : shown.size();
    if (is_vector && rewrite.scratch)
        memory.write(rewrite.scratch->address,
                     iovec{reinterpret_cast<void*>(rewrite.scratch->address + before), shown.size()});
    rewrite.written = static_cast<long>(text->size());
    return rewrite;
}

void CallServer::left(HostPid thread, long call) {
    if (!may_close(call)) return;
    const HostPid process = process_of_thread(thread);
    if (!calls_matter(process)) tracer_.leave_calls(process, watched_.contains(raw(process)));
}

}  // namespace ctr::pidns
