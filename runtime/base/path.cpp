#include "runtime/base/path.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>

#include "runtime/base/fd.h"
#include "runtime/base/sys.h"

namespace ctr::path {

namespace {

constexpr uint64_t procfs_root_inode = 1;

int open_resolved(int root, const char* path, int flags, uint64_t resolve) {
    open_how how{};
    how.flags = static_cast<unsigned>(flags | O_CLOEXEC);
    how.resolve = resolve;
    // EAGAIN: something was renamed while ".." was being resolved, and the kernel can't prove where that led.
    for (int attempt = 0;; ++attempt) {
        const int fd = sys::openat2(root, path, how);
        if (fd >= 0 || errno != EAGAIN || attempt == 64) return fd;
    }
}

struct Link {
    char text[32] = "/proc/self/fd/";
};
Link link_to(int fd) {
    Link link;
    *std::to_chars(link.text + strlen(link.text), link.text + sizeof link.text - 1, fd).ptr = 0;
    return link;
}

bool is_filesystem(int fd, unsigned long magic) {
    struct statfs information {};
    return fstatfs(fd, &information) == 0 && static_cast<unsigned long>(information.f_type) == magic;
}

}  // namespace

int open_in_root(int root, const char* path, int flags) {
    return open_resolved(root, path, flags, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
}

int open_exactly(int root, const char* path) {
    return open_resolved(root, path, O_PATH | O_NOFOLLOW, RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS);
}

int make_file_in_root(int root, const char* path, mode_t mode) {
    char directory[512];
    const char* slash = strrchr(path, '/');
    const size_t length = slash == nullptr ? 0 : static_cast<size_t>(slash - path);
    if (length >= sizeof directory) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(directory, path, length);
    directory[length] = 0;
    const char* name = slash == nullptr ? path : slash + 1;
    const Fd parent(make_directory_in_root(root, directory, 0755));
    if (!parent) return -1;
    return openat(parent.get(), name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, mode);
}

int make_directory_in_root(int root, const char* path, mode_t mode) {
    char prefix[512];
    const size_t length = strlen(path);
    if (length >= sizeof prefix) {
        errno = ENAMETOOLONG;
        return -1;
    }
    Fd parent(open_in_root(root, ".", O_PATH | O_DIRECTORY));
    for (size_t start = 0; parent && start < length;) {
        size_t end = start;
        while (end < length && path[end] != '/') ++end;
        if (end == start) {
            ++start;
            continue;
        }
        memcpy(prefix, path, end);
        prefix[end] = 0;
        // Resolved from the top every time, so that links between components stay inside of the root.
        Fd next(open_in_root(root, prefix, O_PATH | O_DIRECTORY));
        if (!next && errno == ENOENT) {
            if (mkdirat(parent.get(), prefix + start, mode) != 0 && errno != EEXIST) return -1;
            next.reset(open_in_root(root, prefix, O_PATH | O_DIRECTORY));
        }
        parent = std::move(next);
        start = end;
    }
    return parent.release();
}

int reopen(int fd, int flags) {
    return open(link_to(fd).text, flags | O_CLOEXEC);
}

std::string name_of(int fd) {
    char name[PATH_MAX];
    const ssize_t length = readlink(link_to(fd).text, name, sizeof name);
    return {name, length > 0 ? static_cast<size_t>(length) : 0};
}

int open_procfs(const char* path, int flags) {
    const Fd proc(open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!proc) return -1;
    if (!is_procfs_root(proc.get())) {
        errno = ENODEV;
        return -1;
    }
    return open_resolved(proc.get(), path, flags, RESOLVE_BENEATH | RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS);
}

bool is_procfs_root(int fd) {
    struct stat status {};
    return is_filesystem(fd, PROC_SUPER_MAGIC) && fstat(fd, &status) == 0 &&
           status.st_ino == procfs_root_inode;
}

bool is_sysfs(int fd) {
    return is_filesystem(fd, SYSFS_MAGIC);
}

bool is_character_device(int fd, unsigned major_number, unsigned minor_number) {
    struct stat status {};
    return fstat(fd, &status) == 0 && S_ISCHR(status.st_mode) &&
           status.st_rdev == makedev(major_number, minor_number);
}

bool same_file(int one, int other) {
    struct stat a {};
    struct stat b {};
    return fstat(one, &a) == 0 && fstat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

Result<std::string> read_text(const std::string& path) {
    const Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) return fail_call("read " + path, "open");
    std::string text;
    char buffer[4096];
    for (;;) {
        const ssize_t n = read(fd.get(), buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail_call("read " + path, "read");
        if (n == 0) return text;
        text.append(buffer, static_cast<size_t>(n));
    }
}

bool procfs_is_own() {
    char number[32] = {};
    return readlink("/proc/self", number, sizeof number - 1) < 0 || std::to_string(getpid()) == number;
}

}  // namespace ctr::path
