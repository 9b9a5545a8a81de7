// Paths: whether one may lead into /proc is told by its text, because nothing else can be had without a call.
// Too often yes is a little slow; no is certain, but for the symbolic links that the monitor leaves to the
// kernel as well (proc_text.h).
//
// Where the kernel may read the text first it does: then it is certain that the text can be read at all.
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/vfs.h>

#include "pidns/guest/kernel.h"
#include "pidns/guest/numbers.h"
#include "pidns/guest/proc.h"
#include "pidns/guest/proc_text.h"
#include "pidns/guest/serve.h"
#include "pidns/surface/plain_names.h"

namespace ctr::pidns::guest {

namespace {

bool describes(uint64_t number) {
    return number == SYS_newfstatat || number == SYS_statx;
}

// Of a path from the root that doesn't say "proc".
bool stays_outside(FromRoot from_root) {
    switch (from_root) {
        case FromRoot::is_known: return Mapping::procfs_is_known_in_its_place();
        case FromRoot::can_be_asked: return Mapping::procfs_is_in_its_place();
        case FromRoot::no: break;
    }
    return false;
}

// RESOLVE_IN_ROOT makes a slash mean the directory.
FromRoot root_of(uint64_t number) {
    return number == SYS_openat2 ? FromRoot::no : FromRoot::can_be_asked;
}

bool is_of_procfs(const Frame& frame, PathArguments at) {
    const int directory =
        at.directory == PathArguments::none ? AT_FDCWD : static_cast<int>(frame.arguments[at.directory]);
    constexpr char here[] = ".";
    struct statfs system;
    const auto answer = reinterpret_cast<uint64_t>(&system);
    const int64_t got = directory == AT_FDCWD ? marked(SYS_statfs, reinterpret_cast<uint64_t>(here), answer)
                                              : marked(SYS_fstatfs, static_cast<uint64_t>(directory), answer);
    return got != 0 || system.f_type == PROC_SUPER_MAGIC;
}

// A name alone, as "12" or "status", leads into /proc only if its directory is there, or something of a
// procfs is mounted on it.
bool is_name_elsewhere(const Frame& frame, PathArguments at) {
    const auto* path = reinterpret_cast<const char*>(frame.arguments[at.path]);
    constexpr unsigned longest = 32;
    constexpr uint64_t page = PAGE;
    for (unsigned i = 0; i < longest && path[i] != '/' && path[i] != '.'; ++i) {
        if (path[i] == '\0') return stays_outside(FromRoot::can_be_asked) && !is_of_procfs(frame, at);
        const uint64_t next = reinterpret_cast<uint64_t>(path) + i + 1;
        if (next % page == 0 && !is_readable(frame.stack(), next)) return false;
    }
    return false;
}

// No path: the call is about a descriptor, or fails.
bool leaves_proc_alone(const Frame& frame, PathArguments at) {
    const uint64_t path = frame.arguments[at.path];
    return path == 0 ||
           (is_readable(frame.stack(), path) &&
            (!may_lead_into_proc(frame.stack(), reinterpret_cast<const char*>(path), root_of(frame.number)) ||
             is_name_elsewhere(frame, at)));
}

// The path was unreadable, the kernel has said, or too long.
bool is_unread(const Frame& frame) {
    return frame.result == efault || frame.result == enametoolong;
}

const char* path_of(const Frame& frame, const Row& row) {
    return reinterpret_cast<const char*>(frame.arguments[row.path.path]);
}

}  // namespace

bool can_be_made_twice(uint64_t number, const uint64_t* arguments) {
    constexpr uint64_t changing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
    static_assert(changing == OPEN_CHANGES && SYS_openat == NR_OPENAT && SYS_newfstatat == NR_NEWFSTATAT);
    switch (number) {
        case SYS_open: return (arguments[1] & changing) == 0;
        case SYS_openat: return (arguments[2] & changing) == 0;
        case SYS_stat:
        case SYS_lstat:
        case SYS_newfstatat:
        case SYS_statx:
        case SYS_access:
        case SYS_faccessat:
        case SYS_faccessat2:
        case SYS_readlink:
        case SYS_readlinkat:
        case SYS_statfs:
        case SYS_getxattr:
        case SYS_lgetxattr:
        case SYS_listxattr:
        case SYS_llistxattr: return true;
        default: return false;
    }
}

bool may_lead_into_proc(uint64_t stack, const char* path, FromRoot from_root) {
    const auto readable = [&](const char* at) { return is_readable(stack, reinterpret_cast<uint64_t>(at)); };
    const Lead lead = lead_of(path, readable);
    if (lead == Lead::outside || (lead == Lead::elsewhere && stays_outside(from_root))) return false;
    // It has been read up to the word only that decided.
    constexpr uint64_t word = 8;
    const bool all_readable = readable(path + longest_plain_name - word);
    return !all_readable || !is_plain_path(path);
}

// What a copy lies over, the monitor can uncover (monitor/covers.h); the kernel says whether it must.
Action pass_or_uncover(Frame& frame, const Row& row) {
    if (!row.changes) return pass(frame);
    frame.made[5] = mark;
    return look(frame, After::change);
}

bool may_name_numbers(const char* name) {
    return names_numbers(key(name));
}

Action follow_path(Frame& frame, const Row& row) {
    if (can_be_made_twice(frame.number, frame.arguments)) {
        if (const auto action = serve_proc_at_once(frame, row, path_of(frame, row))) return *action;
        frame.made[5] = mark;
        return look(frame, After::path);
    }
    return leaves_proc_alone(frame, row.path) ? pass_or_uncover(frame, row) : ask(frame, row);
}

Action follow_paths(Frame& frame, const Row& row) {
    const bool both = leaves_proc_alone(frame, row.path) && leaves_proc_alone(frame, row.second_path);
    return both ? pass_or_uncover(frame, row) : ask(frame, row);
}

// Of a socket: only one in the file system is a path, which needn't end with a zero.
Action follow_address(Frame& frame, const Row& row) {
    const uint64_t place = frame.arguments[row.path.path];
    const uint64_t size = static_cast<uint32_t>(frame.arguments[row.path.path + 1]);
    constexpr uint64_t word = 8, head = sizeof(sa_family_t);
    char path[sizeof(sockaddr_un) - head + 1] = {};
    if (size < word || size > sizeof(sockaddr_un)) return size < word ? pass(frame) : ask(frame, row);
    if (!is_readable(frame.stack(), place, size)) return ask(frame, row);
    if (reinterpret_cast<const sockaddr_un*>(place)->sun_family != AF_UNIX) return pass(frame);
    for (uint64_t i = 0; i < size - head; ++i) path[i] = reinterpret_cast<const char*>(place + head)[i];
    return may_lead_into_proc(frame.stack(), path, FromRoot::can_be_asked) ? ask(frame, row) : pass(frame);
}

bool changed(Frame& frame) {
    if (frame.result != ebusy && frame.result != exdev && frame.result != erofs) return false;
    const Row* row = find_row(frame.number, frame.arguments);
    if (!row) return false;
    frame.action = ask(frame, *row);
    return true;
}

// What entry.S asks of a call whose path is the second argument. False: the whole look is needed.
extern "C" __attribute__((visibility("hidden"))) bool guest_stayed_outside(const Frame& frame) {
    if (is_unread(frame)) return true;
    const auto* path = reinterpret_cast<const char*>(frame.arguments[1]);
    return path && *path != '\0' && is_clearly_outside(path, [](const char*) { return true; });
}

bool followed_path(Frame& frame) {
    if (is_unread(frame)) return false;
    const Row* row = find_row(frame.number, frame.arguments);
    if (!row) return false;
    const char* path = path_of(frame, *row);
    if (!path || *path == '\0') {
        if (describes(frame.number)) return described(frame);
        frame.action = ask(frame, *row);  // about the descriptor
        return true;
    }
    const Lead lead = lead_of(path, [](const char*) { return true; });
    if (lead == Lead::outside || is_plain_path(path)) return false;
    if (lead == Lead::elsewhere && stays_outside(root_of(frame.number))) return false;
    if (is_name_elsewhere(frame, row->path) || serve_proc(frame, *row, path)) return false;
    give_up(frame);
    frame.action = ask(frame, *row);
    return true;
}

}  // namespace ctr::pidns::guest
