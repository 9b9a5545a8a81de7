// Paths: whether one may lead into /proc is told by its text, because nothing else can be had without a call. Too often
// yes is a little slow; no is certain, but for the symbolic links that the monitor leaves to the kernel as well.
//
// A name of /proc that carries numbers is reached by a path that says "proc"; or, from a directory that is in /proc, by
// a process's number or by the name of a file with numbers in it. That also finds a procfs mounted elsewhere.
//
// Where the kernel may read the text first it does: then it is certain that the text can be read at all.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "pidns/guest/kernel.h"
#include "pidns/guest/serve.h"

namespace ctr::pidns::guest {

namespace {

// The last eight characters of a name, as they are collected below. That other names end alike only makes these slower.
constexpr uint64_t key(const char* name) {
    uint64_t key = 0;
    for (; *name != '\0'; ++name) key = key << 8 | static_cast<unsigned char>(*name);
    return key;
}

// Files with numbers in them, links whose text is one, and what is shown differently to different readers.
constexpr bool names_numbers(uint64_t name) {
    switch (name) {
        case key("stat"):
        case key("status"):
        case key("children"):  // and pid_for_children
        case key("sched"):
        case key("timers"):
        case key("loadavg"):
        case key("locks"):
        case key("shm"):
        case key("msg"):
        case key("sem"):
        case key("pid_max"):
        case key("ns_last_pid"):
        case key("cad_pid"):
        case key("tasks"):
        case key("cgroup.procs"):
        case key("cgroup.threads"):
        case key("pid"):
        case key("self"):
        case key("thread-self"): return true;
        default: return false;
    }
}

// What /proc/PID has, behind a number. ("12/include" is a directory of the compiler's.)
constexpr bool is_of_process(uint64_t name) {
    switch (name) {
        case key(".."):
        case key("."):
        case key("arch_status"):
        case key("attr"):
        case key("autogroup"):
        case key("auxv"):
        case key("cgroup"):
        case key("clear_refs"):
        case key("cmdline"):
        case key("comm"):
        case key("coredump_filter"):
        case key("cpuset"):
        case key("cwd"):
        case key("environ"):
        case key("exe"):
        case key("fd"):
        case key("fdinfo"):
        case key("gid_map"):
        case key("io"):
        case key("ksm_merging_pages"):
        case key("ksm_stat"):
        case key("limits"):
        case key("loginuid"):
        case key("map_files"):
        case key("maps"):
        case key("mem"):
        case key("mountinfo"):
        case key("mounts"):
        case key("mountstats"):
        case key("net"):
        case key("ns"):
        case key("numa_maps"):
        case key("oom_adj"):
        case key("oom_score"):
        case key("oom_score_adj"):
        case key("pagemap"):
        case key("patch_state"):
        case key("personality"):
        case key("projid_map"):
        case key("root"):
        case key("schedstat"):
        case key("sessionid"):
        case key("setgroups"):
        case key("smaps"):
        case key("smaps_rollup"):
        case key("stack"):
        case key("statm"):
        case key("syscall"):
        case key("task"):
        case key("timens_offsets"):
        case key("timerslack_ns"):
        case key("uid_map"):
        case key("wchan"): return true;
        default: return false;
    }
}

// Reads no further than the kernel would, one page at a time.
template <class Readable>
bool leads_into_proc(const char* path, Readable readable) {
    constexpr uint64_t page = 4096;
    constexpr unsigned longest = 4096;  // PATH_MAX
    constexpr uint64_t four = 0xffffffff;
    uint64_t name = 0, last = 0;
    bool is_number = false, follows_number = false, last_is_number = false;
    for (unsigned i = 0; i < longest; ++i) {
        if (i != 0 && (reinterpret_cast<uint64_t>(path) + i) % page == 0 && !readable(path + i)) return true;
        const char c = path[i];
        if (c != '/' && c != '\0') {
            const bool is_digit = c >= '0' && c <= '9';
            is_number = is_digit && (name == 0 || is_number);
            name = name << 8 | static_cast<unsigned char>(c);
            if ((name & four) == key("proc")) return true;
            continue;
        }
        if (name != 0) {
            if (follows_number && is_of_process(name)) return true;
            follows_number = is_number;
            last = name;
            last_is_number = is_number;
        }
        if (c == '\0') return last_is_number || names_numbers(last);
        name = 0;
        is_number = false;
    }
    return true;
}

bool opens(uint64_t number) {
    return number == SYS_open || number == SYS_openat;
}

bool describes(uint64_t number) {
    return number == SYS_newfstatat || number == SYS_statx;
}

// No path: the call is about a descriptor, or fails.
bool leaves_proc_alone(uint64_t path) {
    return path == 0 || (is_readable(path) && !may_lead_into_proc(reinterpret_cast<const char*>(path)));
}

const char* path_of(const Frame& frame, const Row& row) {
    return reinterpret_cast<const char*>(frame.arguments[row.path.path]);
}

}  // namespace

bool can_be_made_twice(uint64_t number, const uint64_t* arguments) {
    constexpr uint64_t changing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
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

bool may_lead_into_proc(const char* path) {
    return leads_into_proc(path, [](const char* at) { return is_readable(reinterpret_cast<uint64_t>(at)); });
}

Action follow_path(Frame& frame, const Row& row) {
    if (can_be_made_twice(frame.number, frame.arguments)) {
        frame.made[5] = mark;
        return look(frame, After::path);
    }
    return leaves_proc_alone(frame.arguments[row.path.path]) ? pass(frame) : ask(frame, row);
}

Action follow_paths(Frame& frame, const Row& row) {
    const bool both = leaves_proc_alone(frame.arguments[row.path.path]) &&
                      leaves_proc_alone(frame.arguments[row.second_path.path]);
    return both ? pass(frame) : ask(frame, row);
}

// Of a socket: only one in the file system is a path, which needn't end with a zero.
Action follow_address(Frame& frame, const Row& row) {
    const uint64_t place = frame.arguments[row.path.path];
    const uint64_t size = static_cast<uint32_t>(frame.arguments[row.path.path + 1]);
    constexpr uint64_t word = 8, head = sizeof(sa_family_t);
    char path[sizeof(sockaddr_un) - head + 1] = {};
    if (size < word || size > sizeof(sockaddr_un)) return size < word ? pass(frame) : ask(frame, row);
    if (!is_readable(place) || !is_readable(place + size - word)) return ask(frame, row);
    if (reinterpret_cast<const sockaddr_un*>(place)->sun_family != AF_UNIX) return pass(frame);
    for (uint64_t i = 0; i < size - head; ++i) path[i] = reinterpret_cast<const char*>(place + head)[i];
    return may_lead_into_proc(path) ? ask(frame, row) : pass(frame);
}

bool followed_path(Frame& frame) {
    // It may have been unreadable: the kernel has said so. Or too long.
    if (frame.result == efault || frame.result == enametoolong) return false;
    const Row* row = find_row(frame.number, frame.arguments);
    if (!row) return false;
    const char* path = path_of(frame, *row);
    if (!path || *path == '\0') {
        if (describes(frame.number)) return described(frame);
        frame.action = ask(frame, *row);  // about the descriptor
        return true;
    }
    if (!leads_into_proc(path, [](const char*) { return true; })) return false;
    if (opens(frame.number) && frame.result >= 0) marked(SYS_close, static_cast<uint64_t>(frame.result));
    frame.action = ask(frame, *row);
    return true;
}

}  // namespace ctr::pidns::guest
