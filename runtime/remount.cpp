// Async-signal-safe: see child.h.
#include "runtime/remount.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>

#include "runtime/base/fd.h"
#include "runtime/base/path.h"

namespace ctr::child {

namespace {

struct Flag {
    unsigned long stat;
    unsigned long mount;
};
// What a remount must repeat: a namespace of less privilege may not clear it, and nobody should by accident.
constexpr Flag kept[] = {{ST_RDONLY, MS_RDONLY},    {ST_NOSUID, MS_NOSUID},   {ST_NODEV, MS_NODEV},
                         {ST_NOEXEC, MS_NOEXEC},    {ST_NOATIME, MS_NOATIME}, {ST_NODIRATIME, MS_NODIRATIME},
                         {ST_RELATIME, MS_RELATIME}};
constexpr Flag added[] = {{MOUNT_ATTR_RDONLY, MS_RDONLY},
                          {MOUNT_ATTR_NOSUID, MS_NOSUID},
                          {MOUNT_ATTR_NODEV, MS_NODEV},
                          {MOUNT_ATTR_NOEXEC, MS_NOEXEC}};

template <size_t n>
unsigned long translate(const Flag (&table)[n], unsigned long set) {
    unsigned long flags = 0;
    for (const Flag& flag : table)
        if ((set & flag.stat) != 0) flags |= flag.mount;
    return flags;
}

const char* remount(const char* path, uint64_t attributes) {
    struct statvfs status {};
    if (statvfs(path, &status) != 0) return "statvfs";
    const unsigned long flags =
        MS_REMOUNT | MS_BIND | translate(kept, status.f_flag) | translate(added, attributes);
    return mount(nullptr, path, nullptr, flags, nullptr) == 0 ? nullptr : "mount";
}

// The fifth field of a line of mountinfo, in which blanks and backslashes are written in octal; in place.
char* mount_point(char* line) {
    for (int field = 1; field < 5; ++field) {
        line = strchr(line, ' ');
        if (line == nullptr) return nullptr;
        ++line;
    }
    char* to = line;
    const char* from = line;
    for (; *from != 0 && *from != ' '; ++to) {
        if (*from == '\\' && from[1] != 0 && from[2] != 0 && from[3] != 0) {
            *to = static_cast<char>((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = 0;
    return line;
}

bool is_below(const char* path, const char* top) {
    const size_t length = strlen(top);
    return strncmp(path, top, length) == 0 && (path[length] == 0 || path[length] == '/' || length == 1);
}

bool is_in(const char* path, const char* top, Extent extent) {
    const bool is_top = strcmp(path, top) == 0;
    if (is_top) return extent != Extent::below;
    return extent != Extent::top && is_below(path, top);
}

// The path of an open mount, from the table of the own descriptors.
ssize_t path_of(int fd, char* buffer, size_t size) {
    char name[32] = "/proc/self/fd/";
    constexpr size_t prefix = sizeof "/proc/self/fd/" - 1;
    *std::to_chars(name + prefix, name + sizeof name - 1, fd).ptr = 0;
    const ssize_t length = readlink(name, buffer, size - 1);
    if (length >= 0) buffer[length] = 0;
    return length;
}

}  // namespace

const char* remount_tree(int mount, uint64_t attributes, Extent extent) {
    char top[PATH_MAX];
    if (path_of(mount, top, sizeof top) < 0) return "readlink";
    const Fd table(path::open_procfs("self/mountinfo", O_RDONLY));
    if (!table) return "openat2";
    char buffer[2 * PATH_MAX];
    size_t filled = 0;
    for (;;) {
        const ssize_t n = read(table.get(), buffer + filled, sizeof buffer - 1 - filled);
        if (n < 0) return "read";
        if (n == 0) return nullptr;
        filled += static_cast<size_t>(n);
        buffer[filled] = 0;
        char* line = buffer;
        for (char* end = strchr(line, '\n'); end != nullptr; end = strchr(line, '\n')) {
            *end = 0;
            const char* point = mount_point(line);
            line = end + 1;
            if (point == nullptr || !is_in(point, top, extent)) continue;
            if (const char* call = remount(point, attributes)) return call;
        }
        filled -= static_cast<size_t>(line - buffer);
        memmove(buffer, line, filled);
        if (filled == sizeof buffer - 1) {
            errno = ENAMETOOLONG;
            return "read";
        }
    }
}

}  // namespace ctr::child
