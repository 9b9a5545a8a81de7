#include "runtime/mounting.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>

namespace ctr::child {

namespace {

constexpr unsigned clone_flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH;

bool is_read_only(const Fd& mount) {
    struct statvfs status {};
    return fstatvfs(mount.get(), &status) == 0 && (status.f_flag & ST_RDONLY) != 0;
}

int set_attributes(const Fd& mount, unsigned recursive, uint64_t set, uint64_t clear) {
    mount_attr wanted{};
    wanted.attr_set = set;
    wanted.attr_clr = clear;
    return sys::mount_setattr(mount.get(), "", AT_EMPTY_PATH | recursive, wanted);
}

}  // namespace

Fd clone_mount(int fd) {
    return Fd(sys::open_tree(fd, "", clone_flags));
}

Fd clone_tree(int fd) {
    return Fd(sys::open_tree(fd, "", clone_flags | AT_RECURSIVE));
}

Fault attach(const Fd& tree, const Fd& target, uint64_t attributes, const char* text) {
    bool remount = false;
    if (attributes != 0 && set_attributes(tree, AT_RECURSIVE, attributes, 0) != 0) {
        if (errno != ENOSYS) return failed("mount_setattr", text);
        remount = true;
    }
    if (sys::move_mount(tree.get(), "", target.get(), "",
                        MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0)
        return failed("move_mount", text);
    if (!remount) return {};
    const char* call = remount_tree(tree.get(), attributes, Extent::all);
    return call == nullptr ? Fault{} : failed(call, text);
}

Fault make_read_only(const Fd& mount, Extent extent, const char* text) {
    const bool reopen_top = extent == Extent::below && !is_read_only(mount);
    const unsigned recursive = extent == Extent::top ? 0 : AT_RECURSIVE;
    if (set_attributes(mount, recursive, MOUNT_ATTR_RDONLY, 0) == 0) {
        if (reopen_top && set_attributes(mount, 0, 0, MOUNT_ATTR_RDONLY) != 0)
            return failed("mount_setattr", text);
        return {};
    }
    if (errno != ENOSYS) return failed("mount_setattr", text);
    const char* call = remount_tree(mount.get(), MOUNT_ATTR_RDONLY, extent);
    return call == nullptr ? Fault{} : failed(call, text);
}

Fd open_context(const char* type, const FileSystemOptions* options, Fault& fault) {
    Fd context(sys::fsopen(type, FSOPEN_CLOEXEC));
    if (!context) fault = failed("fsopen", type);
    if (!context || options == nullptr) return context;
    for (const auto& [key, value] : *options) {
        const unsigned command = value.empty() ? FSCONFIG_SET_FLAG : FSCONFIG_SET_STRING;
        const char* text = value.empty() ? nullptr : value.c_str();
        if (sys::fsconfig(context.get(), command, key.c_str(), text, 0) == 0) continue;
        fault = failed("fsconfig", key.c_str());
        return {};
    }
    return context;
}

Fault make_mount(const Fd& context, const char* type, uint64_t attributes, Fd& mount) {
    if (sys::fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0)
        return failed("fsconfig", type);
    mount.reset(sys::fsmount(context.get(), FSMOUNT_CLOEXEC, static_cast<unsigned>(attributes)));
    return mount ? Fault{} : failed("fsmount", type);
}

Fault make_file_system(const char* type, const FileSystemOptions* options, uint64_t attributes, Fd& mount) {
    Fault fault;
    const Fd context = open_context(type, options, fault);
    return context ? make_mount(context, type, attributes, mount) : fault;
}

bool enter_namespaces_root() {
    const Fd self(sys::pidfd_open(getpid(), 0));
    return self && setns(self.get(), CLONE_NEWNS) == 0;
}

}  // namespace ctr::child
