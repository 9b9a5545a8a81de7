#include "runtime/rootfs.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <iterator>
#include <set>

#include "runtime/devices.h"
#include "runtime/mounting_plan.h"

namespace ctr::rootfs {

namespace {

namespace fs = std::filesystem;

constexpr uint64_t inert = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
constexpr uint32_t terminal_group = 5;  // "tty" of every distribution

// What procfs and sysfs tell of the host beyond processes, as Docker masks it.
constexpr const char* masked[] = {"/proc/acpi",
                                  "/proc/asound",
                                  "/proc/kcore",
                                  "/proc/keys",
                                  "/proc/latency_stats",
                                  "/proc/timer_list",
                                  "/proc/timer_stats",
                                  "/proc/sched_debug",
                                  "/proc/scsi",
                                  "/sys/firmware",
                                  "/sys/devices/virtual/powercap"};
constexpr const char* unwritable[] = {"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys",
                                      "/proc/sysrq-trigger"};

Result<Fd> open_root(const std::string& directory) {
    const std::string what = "open the root directory \"" + directory + "\"";
    Fd fd(open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (fd) return fd;
    const char* why = errno == ENOENT    ? "there is no such directory"
                      : errno == ENOTDIR ? "it is not a directory"
                                         : "";
    return fail_call(what, "open", errno, why, "--rootfs DIRECTORY with an unpacked root file system");
}

devices::Options device_options(const Spec& spec, const HostFacts& facts, Situation situation) {
    return {.terminal_group = !situation.other_user_namespace && contains(facts.gids, terminal_group),
            .own_memory = spec.ipc == Scope::own};
}

// The kernel would say ELOOP, when the directories are made already.
Status check_apart(const std::string& upper, const std::string& lower) {
    std::error_code ignored;
    const std::string one = fs::weakly_canonical(upper, ignored).string() + "/";
    const std::string other = fs::weakly_canonical(lower, ignored).string() + "/";
    if (!one.starts_with(other) && !other.starts_with(one)) return {};
    return fail_input("lay an overlay over \"" + lower + "\"",
                      "\"" + upper + "\" and the root directory lie in one another",
                      "--overlay with a directory beside the root's");
}

Result<Step> root_step(const Spec& spec, const HostFacts& facts, Situation situation) {
    auto root = open_root(spec.rootfs);
    if (!root) return std::unexpected(root.error());
    if (!spec.overlay)
        return Step{"bind the root directory \"" + spec.rootfs + "\"",
                    action::BindRoot{spec.rootfs, std::move(*root), spec.read_only}};
    // xino=off: files keep the numbers that they have below.
    action::OverlayRoot overlay{spec.rootfs, std::move(*root), spec.overlay->upper, {}, {{"xino", "off"}}};
    if (!overlay.upper.empty()) {
        while (overlay.upper.size() > 1 && overlay.upper.ends_with('/')) overlay.upper.pop_back();
        overlay.work = overlay.upper + ".work";
        if (auto apart = check_apart(overlay.upper, spec.rootfs); !apart)
            return std::unexpected(std::move(apart).error());
    }
    if (situation.other_user_namespace || !facts.initial_user_namespace)
        overlay.options.emplace_back("userxattr", "");
    return Step{"lay an overlay over the root directory \"" + spec.rootfs + "\"", std::move(overlay)};
}

// A procfs shows the pid namespace of the process that mounts it (which a layer's namespace isn't to the
// kernel). Without one of our own that is the outer one, where only root of the initial user namespace may
// mount; for everybody else, and inside of another container, the outer /proc, bound, shows the same.
Step proc_step(const Spec& spec, const HostFacts& facts, Situation situation) {
    const bool outer_may_mount = !facts.numbered && facts.privileged() && facts.initial_user_namespace &&
                                 !situation.other_user_namespace;
    const bool own = spec.pidns == PidMode::kernel && !facts.numbered;
    if (own || outer_may_mount)
        return {"mount a fresh /proc", action::Mount{"proc", "/proc", {}, inert, 0555}};
    return {"bind the host's /proc", action::BindTree{"/proc", "/proc", action::Source::procfs, inert}};
}

// A link to /proc/1/fd/1, which images have for logs: the kernel follows links, and to it that is the
// host's 1.
void add_first(std::vector<Step>& steps, const Spec& spec, const HostFacts& facts) {
    const bool has_layer = spec.pidns == PidMode::flat || spec.pidns == PidMode::multi;
    if (has_layer && !facts.numbered)
        steps.push_back({"let links to /proc/1 lead to the command", action::ShowAsFirst{}});
}

Step placing_step(std::vector<action::Placement> placements) {
    return {"put instrumented images in place", action::PlaceImages{std::move(placements)}};
}

void append(std::vector<Step>& to, std::vector<Step> steps) {
    std::move(steps.begin(), steps.end(), std::back_inserter(to));
}

// Whoever can write there has a say in other containers. What is started inside is written down inside.
void add_registries(std::vector<Step>& steps, const Spec& spec, const HostFacts& facts) {
    std::set<std::string> roots{facts.registry, spec.registration ? spec.registration->root : ""};
    roots.erase("");
    for (const std::string& root : roots)
        steps.push_back(
            {"hide the other containers in " + root,
             action::Mount{"tmpfs", root, {{"mode", "0700"}}, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, 0700}});
}

// As docker does.
void add_masks(std::vector<Step>& steps) {
    for (const char* path : masked) steps.push_back({std::string("mask ") + path, action::Mask{path}});
    for (const char* path : unwritable)
        steps.push_back({std::string("make ") + path + " read-only", action::ReadOnly{path}});
}

// A cgroup namespace changes names only: what is mounted shows the host's groups as before.
void add_own_cgroups(std::vector<Step>& steps, const Spec& spec, const HostFacts& facts) {
    if (spec.cgroupns == Scope::own && !facts.cgroups.empty())
        steps.push_back({"show its own cgroups only", action::ShowOwnCgroups{facts.cgroups}});
}

std::vector<Step> on_hosts_root(const Spec& spec, const HostFacts& facts, Situation situation) {
    std::vector<Step> steps;
    if (spec.read_only)
        steps.push_back(
            {"make all that the host has mounted read-only, but /dev and /proc", action::ReadOnlyHost{}});
    // The host's /proc would show the numbers of the outer namespace.
    const bool own = spec.pidns == PidMode::kernel && !facts.numbered;
    if (own) steps.push_back(proc_step(spec, facts, situation));
    // Whom the kernel lets write there only: for others nothing is won, and a new /proc in a namespace inside
    // couldn't be mounted ("too revealing").
    const bool masks = spec.system_paths == SystemPaths::masked && facts.may_change_kernel;
    if (masks) add_masks(steps);
    // Root inside could otherwise leave its limits by writing its number into another group.
    if (masks)
        steps.push_back({"make /sys read-only", action::ReadOnly{"/sys"}});
    else
        steps.push_back({"make the cgroup file systems read-only", action::ReadOnly{"/sys/fs/cgroup"}});
    add_own_cgroups(steps, spec, facts);
    add_first(steps, spec, facts);
    return steps;
}

std::vector<Step> on_own_root(const Spec& spec, const HostFacts& facts, Situation situation) {
    std::vector<Step> steps = devices::steps("/dev", device_options(spec, facts, situation));
    steps.push_back(
        {"mount a private /tmp",
         action::Mount{"tmpfs", "/tmp", {{"mode", "1777"}}, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, 01777}});
    steps.push_back(proc_step(spec, facts, situation));
    const bool masks = spec.system_paths == SystemPaths::masked;
    steps.push_back(
        {masks ? "bind the host's /sys read-only" : "bind the host's /sys",
         action::BindTree{"/sys", "/sys", action::Source::sysfs, masks ? MOUNT_ATTR_RDONLY | inert : inert}});
    if (!masks)
        steps.push_back({"make the cgroup file systems read-only", action::ReadOnly{"/sys/fs/cgroup"}});
    add_own_cgroups(steps, spec, facts);
    // Before the mounts that were asked for: one of those that a link in the root leads to /proc can't keep
    // these from it then.
    if (masks) add_masks(steps);
    add_first(steps, spec, facts);
    return steps;
}

}  // namespace

Result<std::vector<Step>> steps(const Spec& spec, const HostFacts& facts, Situation situation,
                                std::vector<action::Placement> placements) {
    auto wanted = mounting_plan::steps(spec, device_options(spec, facts, situation));
    if (!wanted) return std::unexpected(wanted.error());
    std::vector<Step> steps;
    steps.push_back({"make all mounts private", action::PrivateMounts{}});
    append(steps, std::move(wanted->before));
    if (spec.rootfs.empty()) {
        append(steps, on_hosts_root(spec, facts, situation));
        // Before the mounts that were asked for, which may hide the copies.
        if (!placements.empty()) steps.push_back(placing_step(std::move(placements)));
        add_registries(steps, spec, facts);
        append(steps, std::move(wanted->mounts));
        return steps;
    }
    auto root = root_step(spec, facts, situation);
    if (!root) return std::unexpected(root.error());
    steps.push_back(std::move(*root));
    append(steps, on_own_root(spec, facts, situation));
    append(steps, std::move(wanted->mounts));
    // By the host's paths of the copies, so before they are out of reach; after all mounts that may hide an
    // image.
    if (!placements.empty()) steps.push_back(placing_step(std::move(placements)));
    if (spec.read_only) steps.push_back({"make the root read-only", action::SealRoot{}});
    steps.push_back({"make \"" + spec.rootfs + "\" the root", action::PivotRoot{}});
    return steps;
}

}  // namespace ctr::rootfs
