// Actions that make the container's root. Async-signal-safe: see child.h.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "runtime/base/path.h"
#include "runtime/mounting.h"

namespace ctr::child {

namespace {

constexpr int directory_flags = O_PATH | O_DIRECTORY | O_CLOEXEC;

// Opened again: a mount of the parent's namespace can't be used in this one.
Fd open_expected(const std::string& host, const Fd& expected, Fault& fault) {
    Fd directory(open(host.c_str(), directory_flags));
    if (!directory)
        fault = failed("open", host.c_str());
    else if (!path::same_file(directory.get(), expected.get()))
        fault = refused("another directory has taken its place while the container was starting");
    return fault.happened ? Fd() : std::move(directory);
}

// The two directories that an overlay writes to.
struct Layer {
    Fd upper;
    Fd work;
};

// What is written to the root's top is written to the upper directory's: it begins as the lower one's twin.
// An owner who has no id in here can't be given; then it is whoever makes it.
Fault make_twin(int at, const char* name, bool fresh, const Fd& lower) {
    struct stat status {};
    if (fstat(lower.get(), &status) != 0) return failed("fstat", name);
    if (mkdirat(at, name, 0700) != 0) {
        if (errno != EEXIST) return failed("mkdir", name);
        if (!fresh) return {};
    }
    (void)!fchownat(at, name, status.st_uid, status.st_gid, AT_SYMLINK_NOFOLLOW);
    return fchmodat(at, name, status.st_mode & 07777, 0) == 0 ? Fault{} : failed("fchmodat", name);
}

Fault make_layer(int at, const char* upper, const char* work, bool fresh, const Fd& lower, Layer& layer) {
    if (const Fault fault = make_twin(at, upper, fresh, lower); fault.happened) return fault;
    if (mkdirat(at, work, 0700) != 0 && errno != EEXIST) return failed("mkdir", work);
    layer.upper.reset(openat(at, upper, directory_flags));
    if (!layer.upper) return failed("openat", upper);
    layer.work.reset(openat(at, work, directory_flags | O_NOFOLLOW));
    return layer.work ? Fault{} : failed("openat", work);
}

// A layer is named by descriptor: a path of the host's would have to be escaped, could be exchanged
// meanwhile, and could be read inside.
Fault give_layer(const Fd& context, const char* key, const Fd& directory) {
    char name[32] = "/proc/self/fd/";
    constexpr size_t prefix = sizeof "/proc/self/fd/" - 1;
    *std::to_chars(name + prefix, name + sizeof name - 1, directory.get()).ptr = 0;
    return sys::fsconfig(context.get(), FSCONFIG_SET_STRING, key, name, 0) == 0 ? Fault{}
                                                                                : failed("fsconfig", key);
}

Fault make_overlay(const action::OverlayRoot& action, const Fd& lower, const Layer& layer, Fd& mount) {
    Fault fault;
    const Fd context = open_context("overlay", &action.options, fault);
    if (!context) return fault;
    if (fault = give_layer(context, "lowerdir", lower); fault.happened) return fault;
    if (fault = give_layer(context, "upperdir", layer.upper); fault.happened) return fault;
    if (fault = give_layer(context, "workdir", layer.work); fault.happened) return fault;
    return make_mount(context, "overlay", MOUNT_ATTR_NODEV, mount);
}

}  // namespace

// nodev for the whole tree: there is no device cgroup that would judge a node made with CAP_MKNOD.
Fault execute(State& state, const action::BindRoot& action) {
    const char* text = action.host.c_str();
    Fault fault;
    const Fd directory = open_expected(action.host, action.expected, fault);
    if (!directory) return fault;
    Fd tree = clone_tree(directory.get());
    if (!tree) return failed("open_tree", text);
    fault = attach(tree, directory, MOUNT_ATTR_NODEV, text);
    if (!fault.happened && action.read_only_below) fault = make_read_only(tree, Extent::below, text);
    state.root = std::move(tree);
    return fault;
}

Fault execute(State& state, const action::OverlayRoot& action) {
    const char* text = action.host.c_str();
    Fault fault;
    const Fd lower = open_expected(action.host, action.expected, fault);
    if (!lower) return fault;
    Layer layer;
    Fd memory;
    if (action.upper.empty()) {
        // The kernel takes layers from mounts of this namespace only, so this one lies below the overlay.
        fault = make_file_system("tmpfs", nullptr, MOUNT_ATTR_NODEV, memory);
        if (!fault.happened) fault = attach(memory, lower, 0, text);
        if (!fault.happened) fault = make_layer(memory.get(), "upper", "work", true, lower, layer);
    } else {
        fault = make_layer(AT_FDCWD, action.upper.c_str(), action.work.c_str(), action.fresh, lower, layer);
    }
    if (fault.happened) return fault;
    Fd overlay;
    if (fault = make_overlay(action, lower, layer, overlay); fault.happened) return fault;
    fault = attach(overlay, memory ? memory : lower, 0, text);
    state.root = std::move(overlay);
    return fault;
}

Fault execute(State& state, const action::SealRoot&) {
    return make_read_only(state.root, Extent::top, "/");
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
