#include "pidns/image/cache_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>
#include <memory>
#include <string_view>

namespace ctr::pidns {

namespace {

constexpr const char* step = "keep instrumented images";
constexpr mode_t directory_mode = 0700;
constexpr mode_t file_mode = 0755;
constexpr mode_t others_write = S_IWGRP | S_IWOTH;
constexpr std::string_view unfinished = ".new-";
constexpr time_t forsaken_after = 3600;  // nobody takes as long to write a file
constexpr time_t day = 86400;            // how exact the time of the last use is

bool is_trusted(const struct stat& status) {
    return (status.st_uid == geteuid() || status.st_uid == 0) && (status.st_mode & others_write) == 0;
}

// Empty: it will do.
std::string objection(int fd) {
    struct stat status {};
    struct statvfs file_system {};
    if (fstat(fd, &status) != 0 || fstatvfs(fd, &file_system) != 0) return "can't be looked at";
    if (!is_trusted(status)) return "belongs to somebody else, or others may write to it";
    // A bind mount inherits that, and a C library that can't be mapped is worse than a slow one.
    if ((file_system.f_flag & ST_NOEXEC) != 0) return "lies on a file system that is mounted noexec";
    return {};
}

std::string unfinished_name() {
    uint64_t number = 0;
    // Numbers that come twice cost the second writer its attempt, no more.
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) < 0)
        number = static_cast<uint64_t>(getpid()) << 32 | static_cast<uint64_t>(time(nullptr));
    return std::string(unfinished) + std::to_string(number);
}

// A name that is taken back unless what bears it was put into place.
class Unfinished {
  public:
    explicit Unfinished(const Fd& directory) : directory_(directory.get()), name_(unfinished_name()) {}
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;
    ~Unfinished() {
        if (!name_.empty()) unlinkat(directory_, name_.c_str(), 0);
    }
    const char* name() const { return name_.c_str(); }
    Status rename_to(const std::string& name) {
        if (renameat(directory_, name_.c_str(), directory_, name.c_str()) != 0)
            return fail_call(step, "renameat");
        name_.clear();
        return {};
    }

  private:
    int directory_;
    std::string name_;
};

bool write_all(int fd, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t n = write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes = bytes.subspan(static_cast<size_t>(n));
    }
    return true;
}

struct Entry {
    std::string name;
    time_t used;
};

void remove_oldest(int directory, std::vector<Entry> entries, size_t kept) {
    if (entries.size() <= kept) return;
    std::ranges::sort(entries, {}, &Entry::used);
    for (size_t i = 0; i < entries.size() - kept; ++i) unlinkat(directory, entries[i].name.c_str(), 0);
}

}  // namespace

Result<CacheDirectory> CacheDirectory::open(const std::vector<std::string>& paths) {
    std::string why;
    for (const std::string& path : paths) {
        if (!path.starts_with('/')) continue;
        constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
        Fd fd(::open(path.c_str(), flags));
        if (!fd && errno == ENOENT) {
            mkdir(path.substr(0, path.rfind('/')).c_str(), directory_mode);
            mkdir(path.c_str(), directory_mode);
            fd.reset(::open(path.c_str(), flags));
        }
        const std::string said = fd ? objection(fd.get()) : errno_name(errno);
        if (said.empty()) return CacheDirectory(path, std::move(fd));
        if (!why.empty()) why += "; ";
        why.append(path).append(": ").append(said);
    }
    return fail_input(step, why.empty() ? "there is no directory for them" : why);
}

std::string CacheDirectory::record(const std::string& name) const {
    char text[PATH_MAX];
    const ssize_t length = readlinkat(fd_.get(), name.c_str(), text, sizeof text);
    return {text, length > 0 ? static_cast<size_t>(length) : 0};
}

long CacheDirectory::age(const std::string& record) const {
    struct stat status {};
    fstatat(fd_.get(), record.c_str(), &status, AT_SYMLINK_NOFOLLOW);
    return time(nullptr) - status.st_mtim.tv_sec;
}

Status CacheDirectory::set_record(const std::string& name, const std::string& text) const {
    Unfinished link(fd_);
    if (symlinkat(text.c_str(), fd_.get(), link.name()) != 0) return fail_call(step, "symlinkat");
    return link.rename_to(name);
}

Fd CacheDirectory::file(const std::string& name, off_t size) const {
    Fd fd(openat(fd_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    if (!fd || fstat(fd.get(), &status) != 0) return {};
    if (!S_ISREG(status.st_mode) || !is_trusted(status) || status.st_size != size) return {};
    // File systems are mounted noatime or relatime.
    const timespec times[] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
    if (time(nullptr) - status.st_atim.tv_sec > day) futimens(fd.get(), times);
    return fd;
}

Result<Fd> CacheDirectory::set_file(const std::string& name, std::span<const std::byte> bytes,
                                    const timespec& modified) const {
    Unfinished file(fd_);
    Fd fd(openat(fd_.get(), file.name(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd) return fail_call(step, "openat");
    if (!write_all(fd.get(), bytes)) return fail_call(step, "write");
    const timespec times[] = {{0, UTIME_NOW}, modified};
    if (fchmod(fd.get(), file_mode) != 0) return fail_call(step, "fchmod");
    if (futimens(fd.get(), times) != 0) return fail_call(step, "futimens");
    // Once in the life of an image, for the one thing that can't be seen cheaply at each use: blocks that a
    // power failure kept from the disk, in a file whose name and size had got there.
    if (fdatasync(fd.get()) != 0) return fail_call(step, "fdatasync");
    // Nothing that is open for writing can be executed. And others may remove it as soon as it has its name.
    fd.reset(openat(fd_.get(), file.name(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd) return fail_call(step, "openat");
    if (auto placed = file.rename_to(name); !placed) return std::unexpected(std::move(placed).error());
    return fd;
}

void CacheDirectory::trim(size_t files, size_t records) const {
    const std::unique_ptr<DIR, int (*)(DIR*)> list(
        fdopendir(openat(fd_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)), closedir);
    if (!list) return;
    std::vector<Entry> regular;
    std::vector<Entry> links;
    std::vector<Entry> left;
    const time_t now = time(nullptr);
    while (const dirent* entry = readdir(list.get())) {
        struct stat status {};
        if (fstatat(fd_.get(), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (std::string_view(entry->d_name).starts_with(unfinished)) {
            if (now - status.st_atim.tv_sec > forsaken_after) left.push_back({entry->d_name, 0});
        } else if (S_ISREG(status.st_mode)) {
            regular.push_back({entry->d_name, status.st_atim.tv_sec});
        } else if (S_ISLNK(status.st_mode)) {
            links.push_back({entry->d_name, status.st_mtim.tv_sec});
        }
    }
    remove_oldest(fd_.get(), std::move(left), 0);
    remove_oldest(fd_.get(), std::move(regular), files);
    remove_oldest(fd_.get(), std::move(links), records);
}

}  // namespace ctr::pidns
