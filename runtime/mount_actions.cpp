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
#include "runtime/base/sys.h"
#include "runtime/child.h"
#include "runtime/remount.h"

namespace ctr::child {

namespace {

constexpr unsigned clone_mount = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH;

Fd clone_tree(int fd) {
    return Fd(sys::open_tree(fd, "", clone_mount | AT_RECURSIVE));
}

// Puts a detached tree onto a target, with MOUNT_ATTR_* added to all mounts of the tree. Where the kernel
// can't do that to a detached tree (before 5.12), it is done right afterwards: nobody else is in this
// namespace yet.
Fault attach(const Fd& tree, const Fd& target, uint64_t attributes, const char* text) {
    bool remount = false;
    if (attributes != 0) {
        mount_attr wanted{};
        wanted.attr_set = attributes;
        if (sys::mount_setattr(tree.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, wanted) != 0) {
            if (errno != ENOSYS) return failed("mount_setattr", text);
            remount = true;
        }
    }
    if (sys::move_mount(tree.get(), "", target.get(), "",
                        MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0)
        return failed("move_mount", text);
    if (!remount) return {};
    const char* call = remount_tree(tree.get(), attributes);
    return call == nullptr ? Fault{} : failed(call, text);
}

using Options = std::vector<std::pair<std::string, std::string>>;

Fault configure(const Fd& context, const Options& options) {
    for (const auto& [key, value] : options) {
        const unsigned command = value.empty() ? FSCONFIG_SET_FLAG : FSCONFIG_SET_STRING;
        const char* text = value.empty() ? nullptr : value.c_str();
        if (sys::fsconfig(context.get(), command, key.c_str(), text, 0) != 0)
            return failed("fsconfig", key.c_str());
    }
    return {};
}

// A detached new file system in MOUNT.
Fault make_file_system(const char* type, const Options* options, uint64_t attributes, Fd& mount) {
    const Fd context(sys::fsopen(type, FSOPEN_CLOEXEC));
    if (!context) return failed("fsopen", type);
    if (options != nullptr)
        if (const Fault fault = configure(context, *options); fault.happened) return fault;
    if (sys::fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0)
        return failed("fsconfig", type);
    mount.reset(sys::fsmount(context.get(), FSMOUNT_CLOEXEC, static_cast<unsigned>(attributes)));
    return mount ? Fault{} : failed("fsmount", type);
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
    const Fd tree(sys::open_tree(null.get(), "", clone_mount));
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

// In a chroot whose root is no mount point, neither can the root be exchanged nor can its mount be told what
// to share. Who enters a mount namespace, be it the own one, stands in the namespace's own root.
bool enter_namespaces_root() {
    const Fd self(sys::pidfd_open(getpid(), 0));
    return self && setns(self.get(), CLONE_NEWNS) == 0;
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
    if (status.st_dev != placement.device || status.st_ino != placement.inode) {
        errno = ESTALE;
        return failed("fstat", text);
    }
    // Opened again: a mount of the parent's namespace can't be cloned into this one.
    const Fd copy(open(placement.copy.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!copy || !path::same_file(copy.get(), placement.expected.get()))
        return failed("open", placement.copy.c_str());
    const Fd tree(sys::open_tree(copy.get(), "", clone_mount));
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

// nodev for the whole tree: there is no device cgroup that would judge a node made with CAP_MKNOD.
Fault execute(State& state, const action::BindRoot& action) {
    // Opened again: a mount of the parent's namespace can't be cloned into this one.
    const Fd directory(open(action.host.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory) return failed("open", action.host.c_str());
    if (!path::same_file(directory.get(), action.expected.get()))
        return refused("another directory has taken its place while the container was starting");
    Fd tree = clone_tree(directory.get());
    if (!tree) return failed("open_tree", action.host.c_str());
    const Fault fault = attach(tree, directory, MOUNT_ATTR_NODEV, action.host.c_str());
    state.root = std::move(tree);
    return fault;
}

Fault execute(State& state, const action::Mount& action) {
    Fd mount;
    const Fault fault = make_file_system(action.type.c_str(), &action.options, action.attributes, mount);
    if (fault.happened) return fault;
    const Fd target(
        path::make_directory_in_root(state.root.get(), action.target.c_str(), action.directory_mode));
    if (!target) return failed("mkdirat", action.target.c_str());
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

Fault execute(State& state, const action::BindDevice& action) {
    const Fd host_dev(open("/dev", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!host_dev) return failed("open", "/dev");
    const Fd source(openat(host_dev.get(), action.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!source) return failed("openat", action.name.c_str());
    if (!path::is_character_device(source.get(), action.major, action.minor))
        return refused("the host's file of this name is another device, or none");
    const Fd tree(sys::open_tree(source.get(), "", clone_mount));
    if (!tree) return failed("open_tree", action.name.c_str());
    const Fd dev(path::open_in_root(state.root.get(), "/dev", O_PATH | O_DIRECTORY));
    if (!dev) return failed("openat2", "/dev");
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
    const Fd tree(sys::open_tree(self.get(), "", clone_mount));
    if (!tree) return failed("open_tree", "/proc/self");
    return attach(tree, first, 0, "/proc/1");
}

Fault execute(State& state, const action::PlaceImages& action) {
    for (const action::Placement& placement : action.placements)
        if (const Fault fault = place(state, placement); fault.happened) note(state, fault);
    return {};
}

Fault execute(State& state, const action::PivotRoot&) {
    // The old root lands on top of the new one, so no directory is needed to put it; then it goes.
    const auto exchange = [&] { return fchdir(state.root.get()) == 0 && sys::pivot_root(".", ".") == 0; };
    if (!exchange()) {
        if (errno != EINVAL) return failed("pivot_root");
        if (!enter_namespaces_root()) return failed("setns", "/");
        if (!exchange()) return failed("pivot_root");
    }
    if (umount2(".", MNT_DETACH) != 0) return failed("umount2");
    return chdir("/") == 0 ? Fault{} : failed("chdir", "/");
}

}  // namespace ctr::child
