// Calls about open files, which may be directories of /proc, translated files (monitor/proc_files.h) or
// signalfds. What the kernel says of a file tells enough.
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "pidns/guest/kernel.h"
#include "pidns/guest/proc.h"
#include "pidns/guest/serve.h"

namespace ctr::pidns::guest {

namespace {

// The layout of statx, the C library's header of which isn't for us.
constexpr uint64_t place_of_links_in_statx = 16;

// Files without a name, among them all of ours.
bool has_no_link(uint64_t number, const uint64_t* arguments) {
    switch (number) {
        case SYS_fstat: return reinterpret_cast<const struct stat*>(arguments[1])->st_nlink == 0;
        case SYS_newfstatat: return reinterpret_cast<const struct stat*>(arguments[2])->st_nlink == 0;
        case SYS_statx:
            return *reinterpret_cast<const uint32_t*>(arguments[4] + place_of_links_in_statx) == 0;
        default: return false;
    }
}

}  // namespace

Action describe(Frame& frame, const Row&) {
    frame.made[5] = mark;
    return look(frame, After::file);
}

bool described(Frame& frame) {
    if (frame.result != 0 || !has_no_link(frame.number, frame.arguments)) return false;
    const Row* row = find_row(frame.number, frame.arguments);
    if (!row || describe_as_proc(frame)) return false;
    frame.action = ask(frame, *row);
    return true;
}

Action list(Frame& frame, const Row& row) {
    if (frame.number == SYS_getcwd) {
        frame.made[5] = mark;
        return look(frame, After::directory);
    }
    struct statfs system;
    const int64_t known = marked(SYS_fstatfs, frame.arguments[0], reinterpret_cast<uint64_t>(&system));
    return known == 0 && system.f_type != PROC_SUPER_MAGIC ? pass(frame) : ask(frame, row);
}

bool named_directory(Frame& frame) {
    if (frame.result <= 0 ||
        !may_lead_into_proc(frame.stack(), reinterpret_cast<const char*>(frame.arguments[0]),
                            FromRoot::can_be_asked))
        return false;
    const Row* row = find_row(frame.number, frame.arguments);
    if (row) frame.action = ask(frame, *row);
    return row != nullptr;
}

// Translated files are the monitor's memory files.
Action reread(Frame& frame, const Row& row) {
    if (frame.number == SYS_preadv2) return Action::make;  // its sixth argument is its own
    constexpr uint64_t get_seals = 1034;                   // F_GET_SEALS
    return marked(SYS_fcntl, frame.arguments[0], get_seals) >= 0 ? ask(frame, row) : pass(frame);
}

// A signalfd has no type, as nothing else that is read in such pieces but eventfd and its like.
Action dequeue(Frame& frame, const Row& row) {
    struct stat status;
    const int64_t known = marked(SYS_fstat, frame.arguments[0], reinterpret_cast<uint64_t>(&status));
    return known == 0 && (status.st_mode & S_IFMT) == 0 ? ask(frame, row) : pass(frame);
}

}  // namespace ctr::pidns::guest
