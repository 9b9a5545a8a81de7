#include "runtime/images.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <utility>

#include "runtime/base/path.h"
#include "runtime/environment.h"
#include "runtime/program.h"

namespace ctr::images {

namespace {

// Debian's, Fedora's, and Alpine's and Arch's; in some they are links to their namesakes below /usr.
constexpr const char* directories[] = {"/lib/x86_64-linux-gnu", "/lib64", "/lib"};

// Before glibc 2.34 libpthread and librt made calls of their own.
constexpr const char* libraries[] = {"libc.so.6", "ld-linux-x86-64.so.2", "libpthread.so.0", "librt.so.1",
                                     "ld-musl-x86_64.so.1"};

constexpr int most_scripts = 4;  // that run each other, as the kernel counts

class Finder {
  public:
    // In the host's root, copies are placed before MOUNTS are made.
    explicit Finder(const Spec& spec)
        : root_(open(spec.rootfs.empty() ? "/" : spec.rootfs.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)),
          mounts_(spec.rootfs.empty() ? std::span<const MountRequest>() : spec.mounts) {}

    // Of a directory that wasn't looked into before.
    void add_libraries(const std::string& directory) {
        const auto found = look_at(open_path(directory, O_PATH | O_DIRECTORY));
        if (!found || !is_new(*found)) return;
        for (const char* name : libraries) add(directory + "/" + name);
    }

    // True: there is such a program; what runs it is added.
    bool add_command(const std::string& file, int scripts = 0) {
        auto found = find(file);
        if (!found || !may_be_executed(found->file)) return false;
        const Program program = program_in(found->file);
        if (program.is_script) return scripts < most_scripts && add_command(program.interpreter, scripts + 1);
        if (program.interpreter.starts_with('/')) {
            add(program.interpreter);
            add_libraries(program.interpreter.substr(0, program.interpreter.rfind('/')));
        }
        if (program.makes_calls) add(file, std::move(found));
        return true;
    }

    void add_noted(const std::string& file) {
        const size_t before = found_.size();
        add(file);
        if (found_.size() != before) found_.back().noted = true;
    }

    std::vector<Image> take() { return std::move(found_); }

  private:
    struct Found {
        Fd file;
        struct stat status;
        bool renamed;  // perhaps: the last component of its path isn't its name
    };

    std::optional<Found> look_at(Fd file) const {
        Found found{std::move(file), {}, !mounts_.empty()};
        if (!found.file || fstat(found.file.get(), &found.status) != 0) return {};
        return found;
    }

    void add(const std::string& file) { add(file, find(file)); }
    void add(const std::string& file, std::optional<Found> found) {
        if (!found || !is_new(*found)) return;
        const std::string path = found->renamed ? path::name_of(found->file.get()) : file;
        found_.push_back(
            {file, path.substr(path.rfind('/') + 1), std::move(found->file), found->status, false});
    }

    // A regular file. First without following a link, because most are none, and where one leads is known
    // only to /proc, which is slow.
    std::optional<Found> find(const std::string& file) const {
        auto found = look_at(open_path(file, O_PATH | O_NOFOLLOW));
        if (found && S_ISLNK(found->status.st_mode)) {
            found = look_at(open_path(file, O_PATH));
            if (found) found->renamed = true;
        }
        if (!found || !S_ISREG(found->status.st_mode)) return {};
        return found;
    }

    // As the container will see it, but for links that lead from one mount to another.
    Fd open_path(const std::string& path, int flags) const {
        for (const MountRequest& mount : mounts_ | std::views::reverse) {
            const auto rest = below(path, target_of(mount));
            if (!rest) continue;
            const auto* bind = std::get_if<Bind>(&mount);
            if (bind == nullptr) return {};
            Fd source(open(bind->source.c_str(), O_PATH | O_CLOEXEC));
            if (rest->empty()) return source;
            return Fd(path::open_in_root(source.get(), rest->c_str(), flags));
        }
        return Fd(path::open_in_root(root_.get(), path.c_str(), flags));
    }

    // The rest of a path that is or lies below TOP.
    static std::optional<std::string> below(const std::string& path, std::string top) {
        while (top.ends_with('/')) top.pop_back();
        if (!path.starts_with(top)) return std::nullopt;
        std::string rest = path.substr(top.size());
        if (rest.empty() || rest.front() == '/') return rest;
        return std::nullopt;
    }

    static bool may_be_executed(const Fd& file) {
        return faccessat(file.get(), "", X_OK, AT_EMPTY_PATH | AT_EACCESS) == 0;
    }

    static Program program_in(const Fd& file) {
        const Fd readable(path::reopen(file.get(), O_RDONLY));
        std::array<std::byte, program_beginning> bytes;
        const ssize_t n = readable ? pread(readable.get(), bytes.data(), bytes.size(), 0) : 0;
        return read_program(std::span(bytes).first(n > 0 ? static_cast<size_t>(n) : 0));
    }

    bool is_new(const Found& found) {
        return seen_.insert({found.status.st_dev, found.status.st_ino}).second;
    }

    Fd root_;
    std::span<const MountRequest> mounts_;
    std::set<std::pair<dev_t, ino_t>> seen_;
    std::vector<Image> found_;
};

// Relative to where the command starts.
std::string absolute(const std::string& file, const Spec& spec, const HostFacts& facts) {
    if (file.starts_with('/')) return file;
    const std::string usual = spec.rootfs.empty() ? facts.working_directory : "/";
    return (spec.workdir.empty() ? usual : spec.workdir) + "/" + file;
}

}  // namespace

std::vector<Image> find(const Spec& spec, const HostFacts& facts, const std::vector<std::string>& noted) {
    Finder finder(spec);
    for (const char* directory : directories) finder.add_libraries(directory);
    if (spec.command.empty()) return finder.take();
    const auto env = environment::compose(spec, facts, facts.uid);
    const auto path = environment::find(env, "PATH").value_or("");
    for (const std::string& file : environment::candidates(spec.command.front(), path))
        if (finder.add_command(absolute(file, spec, facts))) break;
    for (const std::string& file : noted) finder.add_noted(file);
    return finder.take();
}

}  // namespace ctr::images
