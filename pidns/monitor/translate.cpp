#include "pidns/monitor/translate.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "pidns/monitor/procfs.h"

namespace ctr::pidns {

namespace {

// A thread that exists in that process; both numbers are the kernel's.
bool is_thread_of(int process, int thread) {
    return tgkill(process, thread, 0) == 0 || errno == EPERM;
}

uint64_t extend(int value) {
    return static_cast<uint64_t>(static_cast<int64_t>(value));
}

}  // namespace

Registers::Arguments Translator::inward(const Call& call, const Caller& caller,
                                        const uint64_t* arguments) const {
    Registers::Arguments translated;
    std::copy_n(arguments, translated.size(), translated.begin());
    for (unsigned i = 0; i < std::size(call.arguments); ++i)
        if (call.arguments[i] != Kind::none)
            translated[i] = extend(argument(call.arguments[i], caller, translated, i));
    return translated;
}

int Translator::inward(NamespaceId space, int number) const {
    if (number <= 0) return number;
    const HostPid host = numbers_.host_of(space, VirtPid(number));
    return host == HostPid::none ? nobody : raw(host);
}

// before: arguments left of this one are translated already.
int Translator::argument(Kind kind, const Caller& caller, const Registers::Arguments& before,
                         unsigned index) const {
    const auto value = static_cast<int>(before[index]);
    const int selector = index > 0 ? static_cast<int>(before[index - 1]) : 0;
    switch (kind) {
        case Kind::none: return value;
        case Kind::process: return process(caller.space, value);
        case Kind::group: return inward(caller.space, value);
        case Kind::thread: return thread(caller, value);
        case Kind::thread_in: return thread_in(caller.space, selector, value);
        case Kind::wait_target:
        case Kind::kill_target: {
            const bool names_group = value < -1 && value != std::numeric_limits<int>::min();
            return names_group ? -inward(caller.space, -value) : process(caller.space, value);
        }
        case Kind::wait_id:
            if (selector == P_PID) return process(caller.space, value);
            return selector == P_PGID ? inward(caller.space, value) : value;
        case Kind::who:
            if (selector == PRIO_PROCESS) return thread(caller, value);
            return selector == PRIO_PGRP ? inward(caller.space, value) : value;
    }
    return nobody;
}

// Threads keep the kernel's numbers (lock words of PI and robust futexes hold them), and a thread's number
// names its process in kill and its like: so what isn't a process's number may still be the number of a
// thread.
int Translator::process(NamespaceId space, int number) const {
    const int host = inward(space, number);
    if (host <= 0) return host;
    if (numbers_.is_process(HostPid(host))) return nested_.is_remains(HostPid(host)) ? nobody : host;
    const HostPid owner = process_of_thread(HostPid(number));
    const bool is_thread = owner != HostPid(number) && numbers_.number_of(owner, space) != VirtPid::none;
    return is_thread ? number : host;
}

// A thread id is, first, one of the caller's own threads; then a process's number; then a thread of another
// process.
int Translator::thread(const Caller& caller, int number) const {
    if (number <= 0 || is_thread_of(raw(caller.process), number)) return number;
    return process(caller.space, number);
}

int Translator::thread_in(NamespaceId space, int process, int number) const {
    if (number <= 0 || is_thread_of(process, number)) return number;
    return raw(numbers_.host_of(space, VirtPid(number))) == process ? process : nobody;
}

}  // namespace ctr::pidns
