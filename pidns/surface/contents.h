// The numbers inside the texts of /proc (and of a cgroup's lists of members), translated. A text comes in as
// the host's kernel wrote it, whole, and goes out as the kernel of the reader's own pid namespace would have
// written it: fs/proc/array.c, base.c, fd.c, kernel/pid.c, kernel/sched/debug.c, fs/locks.c, ipc/shm.c and
// msg.c of Linux 5.10 to 6.18 are the reference. Pure functions that call nothing but the View. Freestanding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ctr::pidns {

// Which file it is, so in which form it carries numbers.
enum class Content : uint8_t {
    none,  // no numbers: the text passes as it is
    stat,
    status,
    children,
    sched,
    fdinfo,
    timers,
    call,  // syscall
    loadavg,
    locks,
    shm,
    msg,
    pid_max,
    ns_last_pid,
    pid_list,     // tasks and cgroup.procs of cgroup v1: who can't be seen is left out
    pid_list_v2,  // cgroup.procs and cgroup.threads of cgroup v2: who can't be seen is 0
};

// By the path below the mount point of a procfs: "4711/task/4712/stat", "sys/kernel/pid_max". No leading
// slash; "self" and "thread-self" are to be resolved before. The cgroup's lists lie elsewhere.
Content content_of(std::string_view path_below_proc);

// How the reader sees the host's numbers. Asked with positive ones only: 0 and -1 mean the same everywhere.
class View {
  public:
    // A process, or the group or session that it leads or led; 0 if it can't be seen from there.
    virtual int process(int host) const = 0;

    // A thread: a leader has its process's number, the others keep the kernel's; 0 if their process can't be
    // seen.
    virtual int thread(int host) const = 0;

    // The number that `host` (a process, group or session) bears in each of the namespaces which `member` (a
    // process or one of its threads) is in, from the reader's down to the member's own, outermost first; 0 in
    // those that can't see `host`. Writes no more than `capacity` numbers, returns how many it wrote: 0 if
    // the reader can't see the member. So numbers(p, p) is a process's NSpid, numbers(group, p) its NSpgid.
    virtual size_t numbers(int host, int member, int* to, size_t capacity) const = 0;

    virtual int limit() const = 0;  // pid_max
    virtual int last() const = 0;   // the last number given out

    // Whether the reader may see the addresses of the process that the file is about (ptrace's read access).
    // The kernel decided that for whoever opened the file, who may have been somebody else.
    virtual bool may_inspect() const = 0;

  protected:
    ~View() = default;
};

// Room that is enough for the translation of every text of that size, as long as the View's numbers have at
// most the seven digits of the kernel's: what still fails there is malformed.
constexpr size_t room_for(size_t text_size) {
    constexpr size_t growth = 4;          // "1\n" becomes "4194303\n"
    constexpr size_t lists = 4 * 33 * 8;  // NStgid, NSpid, NSpgid, NSsid: a number for each of 33 levels
    return growth * text_size + lists;
}

// Writes the translation and returns its size. Nothing: it doesn't fit, or the text isn't in its file's form,
// which it also isn't if its end is missing, where a number may be cut; `to` then holds nothing of use. An
// empty text is an empty text. `text` and `to` must not overlap.
std::optional<size_t> translate(Content content, std::string_view text, const View& view, std::span<char> to);

}  // namespace ctr::pidns
