#include "pidns/monitor/translate.h"

#include <fcntl.h>
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

// include/uapi/linux/ioprio.h, which has no header in the C library.
constexpr int io_who_process = 1;
constexpr int io_who_group = 2;

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
    for (unsigned i = 0; i < std::size(call.arguments); ++i) {
        if (call.arguments[i] == Kind::none) continue;
        // Arguments left of this one are translated already.
        const int selector = i > 0 ? static_cast<int>(translated[i - 1]) : 0;
        const auto number = static_cast<int>(translated[i]);
        const int host = inward(call.arguments[i], caller, number, selector);
        if (host != number) translated[i] = extend(host);
    }
    return translated;
}

int Translator::inward(NamespaceId space, int number) const {
    if (number <= 0) return number;
    const HostPid host = numbers_.host_of(space, VirtPid(number));
    return host == HostPid::none ? nobody : raw(host);
}

int Translator::inward(Kind kind, const Caller& caller, int number, int selector) const {
    const auto group = [&](int positive) { return inward(caller.space, positive); };
    const bool names_group = number < 0 && number != std::numeric_limits<int>::min();
    switch (kind) {
        case Kind::none: return number;
        case Kind::process: return process(caller.space, number);
        case Kind::group: return group(number);
        case Kind::thread: return thread(caller, number);
        case Kind::thread_in: return thread_in(caller.space, selector, number);
        case Kind::wait_target:
        case Kind::kill_target:
            return names_group && number != -1 ? -group(-number) : process(caller.space, number);
        case Kind::owner: return names_group ? -group(-number) : process(caller.space, number);
        case Kind::wait_id:
            if (selector == P_PID) return process(caller.space, number);
            return selector == P_PGID ? group(number) : number;
        case Kind::who:
            if (selector == PRIO_PROCESS) return thread(caller, number);
            return selector == PRIO_PGRP ? group(number) : number;
        case Kind::io_who:
            if (selector == io_who_process) return thread(caller, number);
            return selector == io_who_group ? group(number) : number;
        case Kind::owner_ex:
            if (selector == F_OWNER_TID) return thread(caller, number);
            return selector == F_OWNER_PGRP ? group(number) : process(caller.space, number);
        case Kind::clock: return clock(caller, number);
    }
    return nobody;
}

int Translator::outward(Kind kind, int host, int selector, NamespaceId space) const {
    if (host == 0 || kind == Kind::none) return host;
    if (kind == Kind::owner && host < 0) return -outward(-host, space);
    if (host < 0) return host;
    const bool may_be_thread = kind == Kind::thread || (kind == Kind::owner_ex && selector == F_OWNER_TID);
    return may_be_thread ? thread_outward(host, space) : outward(host, space);
}

int Translator::thread_outward(int host, NamespaceId space) const {
    if (const int number = outward(host, space); number != 0) return number;
    const HostPid owner = process_of_thread(HostPid(host));
    const bool is_thread = owner != HostPid(host) && numbers_.number_of(owner, space) != VirtPid::none;
    return is_thread ? host : 0;
}

// MAKE_PROCESS_CPUCLOCK and its like of include/linux/posix-timers.h: the complement of a number, and three
// bits that say what it measures, and of whom.
int Translator::clock(const Caller& caller, int id) const {
    constexpr int bits = 3, kinds = 7, of_descriptor = 3, of_thread = 4;
    const int kind = id & kinds;
    if (id >= 0 || kind == of_descriptor) return id;
    const int number = ~(id >> bits);
    if (number == 0) return id;
    const int host = (kind & of_thread) != 0 ? thread(caller, number) : process(caller.space, number);
    return static_cast<int>(~static_cast<unsigned>(host) << bits) | kind;
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
