// Actions on the mount namespace. Every target is resolved inside the root by the kernel and used by
// descriptor only (CVE-2021-30465: a path checked first and mounted by name later can be swapped in between).
// Async-signal-safe: see child.h.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/base/path.h"
#include "runtime/mounting.h"

namespace ctr::child {

namespace {

constexpr const char* missing_target =
    "there is nothing to mount it on, and in the host's root ctr makes no file or directory for that";

// The directory that something is mounted on. MAKE: with its parents, where it is missing.
Fd open_directory(const State& state, const std::string& target, mode_t mode, bool make, Fault& fault) {
    const char* text = target.c_str();
    const int root = state.root.get();
    Fd directory(make ? path::make_directory_in_root(root, text, mode)
                      : path::open_in_root(root, text, O_PATH | O_DIRECTORY));
    if (!directory && !make && errno == ENOENT)
        fault = refused(missing_target);
    else if (!directory)
        fault = failed(make ? "mkdirat" : "openat2", text);
    return directory;
}

// Likewise the file that one is bound to.
Fd open_file(const State& state, const std::string& target, bool make, Fault& fault) {
    const char* text = target.c_str();
    Fd file(path::open_in_root(state.root.get(), text, O_PATH));
    if (!file && make && errno == ENOENT) file.reset(path::make_file_in_root(state.root.get(), text, 0644));
    struct stat status {};
    if (!file && !make && errno == ENOENT)
        fault = refused(missing_target);
    else if (!file)
        fault = failed("openat2", text);
    else if (fstat(file.get(), &status) != 0)
        fault = failed("fstat", text);
    else if (S_ISDIR(status.st_mode))
        fault = refused("a file can't be bound over a directory");
    return file;
}

bool is_verified(action::Source source, int fd) {
    switch (source) {
        case action::Source::procfs: return path::is_procfs_root(fd);
        case action::Source::sysfs: return path::is_sysfs(fd);
        case action::Source::directory: break;
    }
    return true;
}

// The mask of a file is the container's own null device: verified, because a mask that is an ordinary file
// would be a place where secrets are written to (CVE-2025-31133).
Fault mask_file(State& state, const Fd& target, const char* text) {
    const Fd null(path::open_exactly(state.root.get(), "/dev/null"));
    if (!null) return failed("openat2", "/dev/null");
    if (!path::is_character_device(null.get(), 1, 3)) return refused("/dev/null is not the null device");
    const Fd tree = clone_mount(null.get());
    if (!tree) return failed("open_tree", "/dev/null");
    return attach(tree, target, 0, text);
}

Fault mask_directory(const Fd& target, const char* text) {
    Fd empty;
    const Fault fault =
        make_file_system("tmpfs", nullptr,
                         MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, empty);
    return fault.happened ? fault : attach(empty, target, 0, text);
}

bool make_mounts_private() {
    return mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// A copy's mount allows no more than that which the image lies on, and nobody may write to the copy.
uint64_t attributes_for(const Fd& image) {
    struct Flag {
        unsigned long stat;
        uint64_t attribute;
    };
    constexpr Flag flags[] = {
        {ST_NOSUID, MOUNT_ATTR_NOSUID}, {ST_NODEV, MOUNT_ATTR_NODEV}, {ST_NOEXEC, MOUNT_ATTR_NOEXEC}};
    struct statvfs status {};
    uint64_t attributes = MOUNT_ATTR_RDONLY;
    if (fstatvfs(image.get(), &status) != 0) return attributes;
    for (const Flag& flag : flags)
        if ((status.f_flag & flag.stat) != 0) attributes |= flag.attribute;
    return attributes;
}

Fault place(const State& state, const action::Placement& placement) {
    const char* text = placement.target.c_str();
    const Fd image(path::open_in_root(state.root.get(), text, O_PATH));
    if (!image) return failed("openat2", text);
    struct stat status {};
    if (fstat(image.get(), &status) != 0) return failed("fstat", text);
    // Replaced meanwhile, or hidden by a mount of the container's.
    const bool same = status.st_ino == placement.inode &&
                      (placement.layered || status.st_dev == placement.device) &&
                      status.st_ctim.tv_sec == placement.changed.tv_sec &&
                      status.st_ctim.tv_nsec == placement.changed.tv_nsec;
    if (!same) {
        errno = ESTALE;
        return failed("fstat", text);
    }
    // Opened again: a mount of the parent's namespace can't be cloned into this one.
    const Fd copy(open(placement.copy.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!copy || !path::same_file(copy.get(), placement.expected.get()))
        return failed("open", placement.copy.c_str());
    const Fd tree = clone_mount(copy.get());
    if (!tree) return failed("open_tree", text);
    return attach(tree, image, attributes_for(image), text);
}

}  // namespace

Fault execute(State&, const action::PrivateMounts&) {
    if (make_mounts_private()) return {};
    if (errno != EINVAL) return failed("mount", "/");
    const Fd root(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root) return failed("open", "/");
    if (!enter_namespaces_root()) return failed("setns", "/");
    if (!make_mounts_private()) return failed("mount", "/");
    if (fchdir(root.get()) != 0) return failed("fchdir");
    return chroot(".") == 0 ? Fault{} : failed("chroot");
}

Fault execute(State& state, const action::HoldSources& action) {
    Fd* held = state.arguments.sources;
    for (const action::Held& source : action.sources) {
        const char* text = source.host.c_str();
        // Opened again: a mount of the parent's namespace can't be cloned into this one.
        const Fd file(open(text, O_PATH | O_CLOEXEC));
        if (!file) return failed("open", text);
        if (!path::same_file(file.get(), source.expected.get()))
            return refused("another file has taken its place while the container was starting");
        Fd tree = clone_tree(file.get());
        if (!tree) return failed("open_tree", text);
        *held++ = std::move(tree);
    }
    return {};
}

// Flags could be taken back from the two only where nobody has set them before; so they are put on top as
// they were.
Fault execute(State& state, const action::ReadOnlyHost&) {
    struct Kept {
        const char* path;
        Fd tree;
    } kept[] = {{"/dev", Fd()}, {"/proc", Fd()}};
    for (Kept& one : kept) {
        const Fd target(path::open_exactly(state.root.get(), one.path));
        if (!target) continue;
        one.tree = clone_tree(target.get());
        if (!one.tree) return failed("open_tree", one.path);
    }
    if (const Fault fault = make_read_only(state.root, Extent::all, "/"); fault.happened) return fault;
    for (const Kept& one : kept) {
        if (!one.tree) continue;
        const Fd target(path::open_exactly(state.root.get(), one.path));
        if (!target) return failed("openat2", one.path);
        if (const Fault fault = attach(one.tree, target, 0, one.path); fault.happened) return fault;
    }
    return {};
}

Fault execute(State& state, const action::Mount& action) {
    Fd mount;
    Fault fault = make_file_system(action.type.c_str(), &action.options, action.attributes, mount);
    if (fault.happened) return fault;
    const Fd target = open_directory(state, action.target, action.directory_mode, action.make_target, fault);
    if (fault.happened) return fault;
    return attach(mount, target, 0, action.target.c_str());
}

Fault execute(State& state, const action::BindTree& action) {
    const Fd source(open(action.host.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!source) return failed("open", action.host.c_str());
    if (!is_verified(action.source, source.get())) return refused("the host has another file system there");
    const Fd tree = clone_tree(source.get());
    if (!tree) return failed("open_tree", action.host.c_str());
    const Fd target(path::make_directory_in_root(state.root.get(), action.target.c_str(), 0555));
    if (!target) return failed("mkdirat", action.target.c_str());
    return attach(tree, target, action.attributes, action.target.c_str());
}

Fault execute(State& state, const action::BindSource& action) {
    Fault fault;
    const Fd target = action.is_directory
                          ? open_directory(state, action.target, 0755, action.make_target, fault)
                          : open_file(state, action.target, action.make_target, fault);
    if (fault.happened) return fault;
    return attach(state.arguments.sources[action.index], target, action.attributes, action.target.c_str());
}

Fault execute(State& state, const action::BindDevice& action) {
    if (!state.devices) return refused("the host has no /dev");
    const Fd source(openat(state.devices.get(), action.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!source) return failed("openat", action.name.c_str());
    if (!path::is_character_device(source.get(), action.major, action.minor))
        return refused("the host's file of this name is another device, or none");
    const Fd tree = clone_mount(source.get());
    if (!tree) return failed("open_tree", action.name.c_str());
    const Fd dev(path::open_in_root(state.root.get(), action.directory.c_str(), O_PATH | O_DIRECTORY));
    if (!dev) return failed("openat2", action.directory.c_str());
    const Fd made(
        openat(dev.get(), action.name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!made) return failed("openat", action.name.c_str());
    return attach(tree, made, 0, action.name.c_str());
}

Fault execute(State& state, const action::MakeLink& action) {
    const std::string& target = action.target;
    char directory[256];
    const size_t slash = target.rfind('/');
    if (slash == std::string::npos || slash >= sizeof directory)
        return refused("the link's path is too long");
    target.copy(directory, slash);
    directory[slash] = 0;
    const Fd parent(path::open_in_root(state.root.get(), directory, O_PATH | O_DIRECTORY));
    if (!parent) return failed("openat2", target.c_str());
    if (symlinkat(action.points_to.c_str(), parent.get(), target.c_str() + slash + 1) != 0)
        return failed("symlinkat", target.c_str());
    return {};
}

Fault execute(State& state, const action::Mask& action) {
    const char* text = action.target.c_str();
    const Fd target(path::open_exactly(state.root.get(), text));
    if (!target) return errno == ENOENT ? Fault{} : failed("openat2", text);
    struct stat status {};
    if (fstat(target.get(), &status) != 0) return failed("fstat", text);
    return S_ISDIR(status.st_mode) ? mask_directory(target, text) : mask_file(state, target, text);
}

Fault execute(State& state, const action::ReadOnly& action) {
    const char* text = action.target.c_str();
    const Fd target(path::open_exactly(state.root.get(), text));
    if (!target) return errno == ENOENT ? Fault{} : failed("openat2", text);
    const Fd tree = clone_tree(target.get());
    if (!tree) return failed("open_tree", text);
    return attach(tree, target, MOUNT_ATTR_RDONLY, text);
}

Fault execute(State& state, const action::ShowAsFirst&) {
    const Fd proc(path::open_exactly(state.root.get(), "/proc"));
    if (!proc || !path::is_procfs_root(proc.get())) return {};
    char number[16];
    const ssize_t length = readlinkat(proc.get(), "self", number, sizeof number - 1);
    if (length <= 0) return failed("readlinkat", "/proc/self");
    number[length] = 0;
    constexpr int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const Fd self(openat(proc.get(), number, flags));
    const Fd first(openat(proc.get(), "1", flags));
    if (!self || !first) return errno == ENOENT ? Fault{} : failed("openat", "/proc");
    const Fd tree = clone_mount(self.get());
    if (!tree) return failed("open_tree", "/proc/self");
    return attach(tree, first, 0, "/proc/1");
}

Fault execute(State& state, const action::PlaceImages& action) {
    for (const action::Placement& placement : action.placements)
        if (const Fault fault = place(state, placement); fault.happened) note(state, fault);
    return {};
}

}  // namespace ctr::child
