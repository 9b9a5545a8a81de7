// Whether the text of a path may lead to something of /proc that carries numbers. Freestanding.
//
// A name of /proc that carries numbers is reached by a path that says "proc"; or, from a directory that is in
// /proc, by a process's number or by the name of a file with numbers in it. That also finds a procfs mounted
// elsewhere.
#pragma once

#include <cstdint>

namespace ctr::pidns::guest {

// The last eight characters of a name, as they are collected below. That other names end alike only makes
// these slower.
constexpr uint64_t key(const char* name) {
    uint64_t key = 0;
    for (; *name != '\0'; ++name) key = key << 8 | static_cast<unsigned char>(*name);
    return key;
}

// Files of a cgroup with numbers in them.
constexpr bool lists_members(uint64_t name) {
    return name == key("tasks") || name == key("cgroup.procs") || name == key("cgroup.threads");
}

// Files with numbers in them, links whose text is one, and what is shown differently to different readers.
constexpr bool names_numbers(uint64_t name) {
    switch (name) {
        case key("stat"):
        case key("status"):
        case key("children"):  // and pid_for_children
        case key("sched"):
        case key("timers"):
        case key("syscall"):
        case key("loadavg"):
        case key("locks"):
        case key("shm"):
        case key("msg"):
        case key("sem"):
        case key("pid_max"):
        case key("ns_last_pid"):
        case key("cad_pid"):
        case key("pid"):
        case key("self"):
        case key("thread-self"): return true;
        default: return lists_members(name);
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

inline constexpr uint64_t page_size = 4096;
inline constexpr unsigned longest_path = 4096;  // PATH_MAX

// Eight characters at a time, the first in the lowest byte. What is found is marked with the highest bit of
// its byte.
using Eight = uint64_t;

constexpr Eight all(char c) {
    return Eight{0x0101'0101'0101'0101} * static_cast<unsigned char>(c);
}

// Where bytes are zero. Certain up to the first of them; the next ones may be marked wrongly.
constexpr Eight first_zeros(Eight bytes) {
    return (bytes - all(1)) & ~bytes & all('\x80');
}

// Certain for all.
constexpr Eight all_zeros(Eight bytes) {
    constexpr Eight low_bits = all(0x7f);
    return ~(((bytes & low_bits) + low_bits) | bytes | low_bits);
}

// The characters that stand N before these.
constexpr Eight earlier(Eight now, Eight before, unsigned n) {
    return now << (8 * n) | before >> (64 - 8 * n);
}

// Where something says "p..c", of which there is little but "proc", or begins a name with a digit, or with
// one of the six characters behind 9.
constexpr Eight hints(Eight now, Eight before) {
    const Eight no_proc = (now ^ all('c')) | (earlier(now, before, 3) ^ all('p'));
    const Eight no_number = ((now ^ all('0')) & all('\xf0')) | (earlier(now, before, 1) ^ all('/'));
    return first_zeros(no_proc) | first_zeros(no_number);
}

// The program's text, whatever type it has there.
using TextWord [[gnu::may_alias]] = uint64_t;

// True: the path certainly doesn't. A quick look that takes all that is not quite common for a maybe. Reads
// as below.
template <class Readable>
[[gnu::no_sanitize_address]] bool is_clearly_outside(const char* path, Readable readable) {
    const auto address = reinterpret_cast<uint64_t>(path);
    const auto* words = reinterpret_cast<const TextWord*>(address & ~uint64_t{7});
    const unsigned skipped = address % 8;
    const auto* const end = words + longest_path / 8;
    // Before the path comes, as far as we are concerned, a slash. Aligned: what lies before it is on the same
    // page.
    const uint64_t before_path = ~(~uint64_t{0} << (8 * skipped));
    Eight now = (*words & ~before_path) | (all('/') & before_path);
    Eight before = all('/');
    Eight ends = 0;
    for (;;) {
        ends = first_zeros(now);
        const Eight text = (ends & -ends) - 1;  // up to the end, or all
        if ((hints(now, before) & text) != 0) return false;
        if (ends != 0) break;
        if (++words == end) return false;
        if (reinterpret_cast<uint64_t>(words) % page_size == 0 &&
            !readable(reinterpret_cast<const char*>(words)))
            return false;
        before = now;
        now = *words;
    }
    // The last eight characters.
    const unsigned length = static_cast<unsigned>(__builtin_ctzll(ends)) / 8;
    const Eight tail = length == 0 ? before : earlier(now, before, 8 - length);
    const Eight in_tail = all_zeros(tail ^ all('/'));
    uint64_t name = __builtin_bswap64(tail);
    if (in_tail != 0) {
        const unsigned left = static_cast<unsigned>(__builtin_clzll(in_tail)) / 8;  // behind the last slash
        if (left == 0) return false;
        name &= ~(~uint64_t{0} << (8 * left));
    }
    return !names_numbers(name);
}

// There every system has a link into /proc: /dev/fd/3.
constexpr bool is_below_dev(const char* path) {
    return path[0] == '/' && path[1] == 'd' && path[2] == 'e' && path[3] == 'v' && path[4] == '/';
}

enum class Lead {
    outside,
    elsewhere,  // from the root, not by "proc": only where a procfs is mounted at an unusual place
    proc,       // or a cgroup's list of processes
};

// Reads no further than the kernel would, one page at a time: readable(address) is asked for each but the
// first.
template <class Readable>
Lead lead_of(const char* path, Readable readable) {
    if (is_clearly_outside(path, readable)) return Lead::outside;
    const Lead by_number = path[0] == '/' && !is_below_dev(path) ? Lead::elsewhere : Lead::proc;
    Lead lead = Lead::outside;
    constexpr uint64_t four = 0xffffffff;
    uint64_t name = 0, last = 0;
    bool is_number = false, follows_number = false, last_is_number = false;
    for (unsigned i = 0; i < longest_path; ++i) {
        if (i != 0 && (reinterpret_cast<uint64_t>(path) + i) % page_size == 0 && !readable(path + i))
            return Lead::proc;
        const char c = path[i];
        if (c != '/' && c != '\0') {
            const bool is_digit = c >= '0' && c <= '9';
            is_number = is_digit && (name == 0 || is_number);
            name = name << 8 | static_cast<unsigned char>(c);
            if ((name & four) == key("proc")) return Lead::proc;
            continue;
        }
        if (name != 0) {
            if (follows_number && is_of_process(name)) lead = by_number;
            follows_number = is_number;
            last = name;
            last_is_number = is_number;
        }
        if (c == '\0') {
            if (lists_members(last)) return Lead::proc;
            return last_is_number || names_numbers(last) ? by_number : lead;
        }
        name = 0;
        is_number = false;
    }
    return Lead::proc;
}

}  // namespace ctr::pidns::guest
