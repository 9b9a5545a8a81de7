// The pid surface as data: one row for every system call through which the kernel hands a process number to a
// program or takes one from it, saying which argument or memory carries which kind of number in which
// direction. The seccomp filter is generated from these rows and the monitor is driven by them. Freestanding.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pidns/surface/kinds.h"
#include "pidns/surface/mark.h"
#include "pidns/surface/structures.h"

namespace ctr::pidns {

// How the monitor serves it.
enum class Way : uint8_t {
    answer,   // the monitor knows the result: the call isn't made
    rewrite,  // made by the thread itself, with the host's numbers; result and memory are translated back
    create,   // the fork family
    send,     // a signal: as rewrite, after looking whether virtual pid 1 takes it
    observe,  // passes as it is, but the monitor must know of it
    enter,    // changes the namespace that children are born in
    mount,    // may mount a procfs, which the kernel grants only to who owns the pid namespace
    path,     // a path that may lead into /proc
    paths,    // two of them
    address,  // a socket's address, which may be such a path; its length is the next argument
    list,     // reads a directory, which may be one of /proc
    reread,   // goes back to the beginning of a file, which may be one that we translated
    dequeue,  // reads a descriptor that may be a signalfd
    message,  // a message on a socket, which may carry credentials
    trace,    // ptrace
    relate,   // asks a namespace's file about others
    user,     // for all processes of a user, whom the kernel knows outside of the container as well
    lock,     // locks memory, of which the numbers' mapping mustn't be a part
};

// A structure that an argument points to.
struct Memory {
    Structure structure = Structure::none;
    uint8_t argument = 0;
};

// Where a call has its path. No directory: the path is relative to the working directory. No path: the call
// is about the directory's descriptor itself.
struct PathArguments {
    static constexpr uint8_t none = 0xff;
    uint8_t directory = none;
    uint8_t path = none;
};

// What the call's success changes in the table.
enum class After : uint8_t { nothing, reap, join_group, lead_session, enter_namespace };

// One comparison of the filter: (argument & mask) == value, or != value when differs is set.
struct Condition {
    uint8_t argument = 0;
    bool differs = false;
    uint64_t mask = 0;
    uint64_t value = 0;
};

struct Call {
    long number = 0;
    const char* name = nullptr;
    const char* group = nullptr;  // of the surface, for documentation and conformance
    Way way = Way::answer;
    Kind arguments[3] = {};
    Kind result = Kind::none;
    Memory reads = {};   // by the kernel
    Memory writes = {};  // by the kernel
    PathArguments path = {};
    PathArguments second_path = {};
    bool changes = false;  // the file at its path, or takes it away: refused where a copy lies over it
    After after = After::nothing;
    bool sleeps = false;      // can wait for long: nobody may wait for its end
    bool all_used = false;    // has six arguments: the mark is in the upper half of the first, a pid_t
    Condition when = {};      // traps only then; mask 0: always
    Condition and_when = {};  // and then
};

// The rows, ordered as documented. A call may have several (one for each ioctl request).
struct Calls {
    const Call* begin_;
    const Call* end_;
    const Call* begin() const { return begin_; }
    const Call* end() const { return end_; }
};
Calls calls();

// It carries the mark (mark.h), so the filter lets it pass.
constexpr bool is_marked(const Call& call, const uint64_t* arguments) {
    return call.all_used ? arguments[0] >> 32 == upper_mark >> 32 : arguments[5] == mark;
}

// The row for a call that trapped, or nullptr.
const Call* find_call(long number, const uint64_t* arguments);

}  // namespace ctr::pidns
