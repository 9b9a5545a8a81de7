#include "pidns/image/cache.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <ctime>
#include <sstream>

#include "pidns/image/digest.h"
#include "runtime/base/path.h"

namespace ctr::pidns {

namespace {

constexpr const char* step = "instrument an image";
constexpr off_t largest = off_t{256} << 20;
constexpr size_t records_for_each_file = 16;
constexpr size_t longest_reason = 500;
constexpr long failure_counts_for = 60;  // seconds

// One record with the paths of all programs, so that a start finds them by one call.
constexpr const char* programs_name = "programs";
constexpr char separator = '\n';
constexpr size_t most_programs = 16;

// How the text of a record begins; that of an identity which names a content begins with a digit of it.
constexpr char made = '=';
constexpr char impossible = '!';
constexpr char failed = '?';

std::string content_name(std::span<const std::byte> image, uint64_t version) {
    std::ostringstream name;
    name << digest_of(image) << '-' << std::hex << version;
    return name.str();
}

// Every start asks for some of these: without a stream, which is slow.
std::string identity_name(const struct stat& status, uint64_t version) {
    std::string name;
    const auto add = [&name](const char* before, auto number) {
        char digits[2 * sizeof(uint64_t)];
        const auto end =
            std::to_chars(std::begin(digits), std::end(digits), static_cast<uint64_t>(number), 16);
        name.append(before).append(std::begin(digits), end.ptr);
    };
    add("", status.st_dev);
    add("-", status.st_ino);
    add("-", status.st_size);
    for (const timespec& time : {status.st_ctim, status.st_mtim}) {
        add("-", time.tv_sec);
        add(".", time.tv_nsec);
    }
    add("-", version);
    return name;
}

std::string file_name(const std::string& content) {
    return content + ".image";
}

// Empty: its copy may stand in for it.
std::string objection(const Fd& image, const struct stat& status) {
    constexpr mode_t all_read = S_IRUSR | S_IRGRP | S_IROTH;
    constexpr mode_t all_execute = S_IXUSR | S_IXGRP | S_IXOTH;
    if ((status.st_mode & (S_ISUID | S_ISGID)) != 0) return "it is set-user-id or set-group-id";
    if (fgetxattr(image.get(), "security.capability", nullptr, 0) > 0) return "it has file capabilities";
    const mode_t execute = status.st_mode & all_execute;
    if ((status.st_mode & all_read) != all_read || (execute != 0 && execute != all_execute))
        return "not everybody may read or execute it";
    if (status.st_size > largest) return "it is too large";
    return {};
}

Result<std::vector<std::byte>> read_all(const Fd& image, size_t size) {
    std::vector<std::byte> bytes(size);
    for (size_t done = 0; done < size;) {
        const ssize_t n = pread(image.get(), bytes.data() + done, size - done, static_cast<off_t>(done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail_call(step, "pread");
        if (n == 0) return fail_call(step, "pread", EAGAIN, "it was cut short meanwhile");
        done += static_cast<size_t>(n);
    }
    return bytes;
}

// A file that is mapped before it was read comes into memory page by page, one that is read from its
// beginning in larger pieces (from Linux 6.16 on, on ext4), which are cheaper to map: some percent of an
// exec, for as long as the file stays in memory.
void read_from_its_beginning(const Fd& file) {
    std::byte byte{};
    const iovec first{&byte, 1};
    if (preadv2(file.get(), &first, 1, 0, RWF_NOWAIT) >= 0 || errno != EAGAIN) return;  // it is there
    constexpr size_t piece_size = size_t{64} << 10;
    std::vector<std::byte> piece(piece_size);
    ssize_t n = 0;
    for (off_t at = 0; (n = pread(file.get(), piece.data(), piece.size(), at)) > 0;) at += n;
}

bool same_times(const struct stat& a, const struct stat& b) {
    const auto same = [](const timespec& one, const timespec& other) {
        return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
    };
    return a.st_size == b.st_size && same(a.st_ctim, b.st_ctim) && same(a.st_mtim, b.st_mtim);
}

}  // namespace

Result<ImageCache> ImageCache::open(const std::vector<std::string>& directories, Make make, Options options) {
    auto directory = CacheDirectory::open(directories);
    if (!directory) return std::unexpected(std::move(directory).error());
    return ImageCache(std::move(*directory), std::move(make), options);
}

Result<std::vector<std::byte>> ImageCache::read(const Fd& image) {
    const Fd readable(path::reopen(image.get(), O_RDONLY));
    if (!readable) return fail_call(step, "open");
    struct stat status {};
    if (fstat(readable.get(), &status) != 0) return fail_call(step, "fstat");
    if (!S_ISREG(status.st_mode)) return fail_input(step, "it is no regular file");
    if (const std::string why = objection(readable, status); !why.empty()) return fail_input(step, why);
    return read_all(readable, static_cast<size_t>(status.st_size));
}

Result<ImageCache::Copy> ImageCache::copy_of(const Fd& image) const {
    struct stat status {};
    if (fstat(image.get(), &status) != 0) return fail_call(step, "fstat");
    if (!S_ISREG(status.st_mode)) return fail_input(step, "it is no regular file");
    const std::string identity = identity_name(status, options_.version);
    const std::string known = directory_.record(identity);
    if (known.starts_with(impossible)) return fail_input(step, known.substr(1));
    if (!known.empty())
        if (auto found = recorded(known)) return std::move(*found);
    return examine(image, status, identity);
}

std::optional<ImageCache::Copy> ImageCache::known_copy_of(const Fd& image) const {
    struct stat status {};
    if (fstat(image.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    const std::string known = directory_.record(identity_name(status, options_.version));
    if (known.empty() || known.starts_with(impossible)) return {};
    auto found = recorded(known);
    if (!found || !*found) return {};
    return std::move(**found);
}

std::vector<std::string> ImageCache::programs() const {
    std::vector<std::string> paths;
    const std::string text = directory_.record(programs_name);
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find(separator, begin), text.size());
        paths.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return paths;
}

// Of two who do this at once one may be forgotten. It will be found once more.
void ImageCache::add_program(const std::string& path) const {
    auto paths = programs();
    if (path.find(separator) != std::string::npos || std::ranges::find(paths, path) != paths.end()) return;
    paths.insert(paths.begin(), path);
    std::string text;
    for (size_t i = 0; i < std::min(paths.size(), most_programs); ++i) {
        if (text.size() + paths[i].size() + 1 >= PATH_MAX) break;
        text += paths[i] + separator;
    }
    (void)directory_.set_record(programs_name, text);
}

std::optional<Result<ImageCache::Copy>> ImageCache::recorded(const std::string& content) const {
    const std::string text = directory_.record(content);
    if (text.starts_with(impossible)) return fail_input(step, text.substr(1));
    if (text.starts_with(failed)) {
        const long age = directory_.age(content);
        if (age >= 0 && age < failure_counts_for) return fail_input(step, text.substr(1));
    }
    if (!text.starts_with(made)) return {};
    off_t size = 0;
    const char* end = text.data() + text.size();
    if (std::from_chars(text.data() + 1, end, size).ptr != end) return {};
    Fd file = directory_.file(file_name(content), size);
    if (!file) return {};
    read_from_its_beginning(file);
    return Copy{directory_.path_of(file_name(content)), std::move(file)};
}

Result<ImageCache::Copy> ImageCache::examine(const Fd& image, const struct stat& status,
                                             const std::string& identity) const {
    const auto bytes = read(image);
    if (!bytes) {
        const Error& error = bytes.error();
        if (error.call.empty()) (void)directory_.set_record(identity, impossible + error.why);
        return std::unexpected(error);
    }
    const std::string content = content_name(*bytes, options_.version);
    auto found = recorded(content);
    auto result = found ? std::move(*found) : make(*bytes, status, content);

    struct stat after {};
    const bool unchanged = fstat(image.get(), &after) == 0 && same_times(status, after);
    if (unchanged && time(nullptr) - status.st_ctim.tv_sec >= options_.settled)
        (void)directory_.set_record(identity, content);
    directory_.trim(options_.files, options_.files * records_for_each_file);
    return result;
}

Result<ImageCache::Copy> ImageCache::make(std::span<const std::byte> image, const struct stat& status,
                                          const std::string& content) const {
    auto copy = store(image, status, content);
    if (copy) return copy;
    const Error& error = copy.error();
    const char mark = error.call.empty() ? impossible : failed;
    const std::string reason = error.why.empty() ? error.message() : error.why;
    (void)directory_.set_record(content, mark + reason.substr(0, longest_reason));
    return fail_input(step, reason);
}

Result<ImageCache::Copy> ImageCache::store(std::span<const std::byte> image, const struct stat& status,
                                           const std::string& content) const {
    const auto bytes = make_(image);
    if (!bytes) return std::unexpected(bytes.error());
    const std::string name = file_name(content);
    auto file = directory_.set_file(name, *bytes, status.st_mtim);
    if (!file) return std::unexpected(std::move(file).error());
    if (auto noted = directory_.set_record(content, made + std::to_string(bytes->size())); !noted)
        return std::unexpected(std::move(noted).error());
    return Copy{directory_.path_of(name), std::move(*file)};
}

}  // namespace ctr::pidns
