#include "cgroup/control_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>

namespace ctr::cgroup {
namespace {

// What an errno means when the kernel's own files answer with it.
struct Meaning {
    int err;
    std::string_view why;
    std::string_view hint;
};
constexpr Meaning write_meanings[] = {
    {EACCES, "this user may not write it", "run as root, or have this cgroup delegated to this user"},
    {EPERM, "this user may not write it", "run as root, or have this cgroup delegated to this user"},
    {EROFS, "the cgroup file system is mounted read-only here, as container runtimes do",
     "mount it read-write in the outer container (docker: --privileged, or --cgroupns=host with a writable "
     "bind)"},
    {ENODEV, "the kernel can't limit this device, or it is gone", "name a whole disk that exists"},
    {ENOENT,
     "this kernel doesn't offer it (CONFIG_BLK_CGROUP, CONFIG_BLK_DEV_THROTTLING), or the group is gone", ""},
};

std::unexpected<Error> fail_write(std::string_view step, const char* call, const std::string& path) {
    const int err = errno;
    for (const Meaning& meaning : write_meanings) {
        if (meaning.err != err) continue;
        return fail_call(std::string(step), std::string(call) + " " + path, err, std::string(meaning.why),
                         std::string(meaning.hint));
    }
    return fail_call(std::string(step), std::string(call) + " " + path, err);
}

Result<std::string> read_whole(int directory, const std::string& name, const std::string& path,
                               std::string_view step) {
    const Fd fd(openat(directory, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!fd) return fail_call(std::string(step), "open " + path);
    std::string text;
    std::array<char, 4096> chunk;
    while (true) {
        const ssize_t length = ::read(fd.get(), chunk.data(), chunk.size());
        if (length == 0) return text;
        if (length > 0) {
            text.append(chunk.data(), static_cast<size_t>(length));
        } else if (errno != EINTR) {
            return fail_call(std::string(step), "read " + path);
        }
    }
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::string_view step) {
    return read_whole(AT_FDCWD, path, path, step);
}

Status check_file_system(int fd, const std::string& path, unsigned long magic) {
    struct statfs facts;
    const std::string step = "check what is mounted on " + path;
    if (fstatfs(fd, &facts) != 0) return fail_call(step, "fstatfs");
    if (static_cast<unsigned long>(facts.f_type) == magic) return {};
    return fail_input(step, "it is not the kernel's own file system; something hides it",
                      "unmount what is on top");
}

Result<Directory> Directory::open(const std::string& path, std::string_view step) {
    Fd fd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd) return fail_call(std::string(step), "open " + path);
    return Directory(path, std::move(fd));
}

Result<Directory> Directory::create(const std::string& name, std::string_view step) const {
    const std::string path = path_ + "/" + name;
    if (mkdirat(fd_.get(), name.c_str(), 0755) != 0) return fail_call(std::string(step), "mkdir " + path);
    Fd fd(openat(fd_.get(), name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (fd) return Directory(path, std::move(fd));
    const int err = errno;
    unlinkat(fd_.get(), name.c_str(), AT_REMOVEDIR);
    return fail_call(std::string(step), "open " + path, err);
}

bool Directory::has(const std::string& file) const {
    return faccessat(fd_.get(), file.c_str(), F_OK, 0) == 0;
}

Result<std::string> Directory::read(const std::string& file, std::string_view step) const {
    return read_whole(fd_.get(), file, path_ + "/" + file, step);
}

Status Directory::write(const std::string& file, std::string_view text, std::string_view step) const {
    const std::string path = path_ + "/" + file;
    const Fd fd(openat(fd_.get(), file.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY));
    if (!fd) return fail_write(step, "open", path);
    ssize_t written;
    do {
        written = ::write(fd.get(), text.data(), text.size());
    } while (written < 0 && errno == EINTR);
    if (written < 0) return fail_write(step, "write to", path);
    if (static_cast<size_t>(written) != text.size())
        return fail_call(std::string(step), "write to " + path, EIO);
    return {};
}

std::string_view take_until(std::string_view& text, char separator) {
    const size_t end = text.find(separator);
    const std::string_view taken = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return taken;
}

bool has_word(std::string_view list, std::string_view word, char separator) {
    while (!list.empty()) {
        if (take_until(list, separator) == word) return true;
    }
    return false;
}

bool parse_number(std::string_view text, unsigned long& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

}  // namespace ctr::cgroup
