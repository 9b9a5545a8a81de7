#include "runtime/rootfs.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cerrno>
#include <iterator>
#include <set>

namespace ctr::rootfs {

namespace {

constexpr uint64_t inert = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
constexpr uint32_t terminal_group = 5;  // "tty" of every distribution

struct Device {
    const char* name;
    unsigned major;
    unsigned minor;
};
constexpr Device devices[] = {{"null", 1, 3},   {"zero", 1, 5},    {"full", 1, 7},
                              {"random", 1, 8}, {"urandom", 1, 9}, {"tty", 5, 0}};

struct Link {
    const char* target;
    const char* points_to;
};
constexpr Link links[] = {{"/dev/ptmx", "pts/ptmx"},
                          {"/dev/fd", "/proc/self/fd"},
                          {"/dev/stdin", "/proc/self/fd/0"},
                          {"/dev/stdout", "/proc/self/fd/1"},
                          {"/dev/stderr", "/proc/self/fd/2"}};

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

std::vector<Step> dev_steps(const HostFacts& facts, Situation situation) {
    std::vector<Step> steps;
    // nodev: nodes made in here with CAP_MKNOD can't be opened; the devices are mounts of the host's own
    // nodes.
    steps.push_back(
        {"mount a private /dev", action::Mount{"tmpfs", "/dev", {{"mode", "0755"}, {"size", "1m"}}, inert}});
    for (const Device& device : devices)
        steps.push_back({std::string("put /dev/") + device.name + " into the private /dev",
                         action::BindDevice{device.name, device.major, device.minor}});
    action::Mount pts{"devpts",
                      "/dev/pts",
                      {{"newinstance", ""}, {"ptmxmode", "0666"}, {"mode", "0620"}},
                      MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC};
    if (!situation.new_user_namespace && contains(facts.gids, terminal_group))
        pts.options.emplace_back("gid", std::to_string(terminal_group));
    steps.push_back({"mount private terminals on /dev/pts", std::move(pts)});
    steps.push_back(
        {"mount a private /dev/shm",
         action::Mount{"tmpfs", "/dev/shm", {{"mode", "1777"}}, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV}});
    for (const Link& link : links)
        steps.push_back(
            {std::string("make the link ") + link.target, action::MakeLink{link.target, link.points_to}});
    return steps;
}

// A procfs shows the pid namespace of the process that mounts it (which a layer's namespace isn't to the
// kernel). Without one of our own that is the outer one, where only root of the initial user namespace may
// mount; for everybody else the outer /proc, bound, shows the same.
Step proc_step(const Spec& spec, const HostFacts& facts, Situation situation) {
    const bool outer_may_mount =
        facts.privileged() && facts.initial_user_namespace && !situation.new_user_namespace;
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

// Whoever can write there has a say in other containers. What is started inside is written down inside.
void add_registries(std::vector<Step>& steps, const Spec& spec, const HostFacts& facts) {
    std::set<std::string> roots{facts.registry, spec.registration ? spec.registration->root : ""};
    roots.erase("");
    for (const std::string& root : roots)
        steps.push_back(
            {"hide the other containers in " + root,
             action::Mount{"tmpfs", root, {{"mode", "0700"}}, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, 0700}});
}

}  // namespace

Result<std::vector<Step>> steps(const Spec& spec, const HostFacts& facts, Situation situation,
                                std::vector<action::Placement> placements) {
    std::vector<Step> steps;
    steps.push_back({"make all mounts private", action::PrivateMounts{}});
    if (spec.rootfs.empty()) {
        // The host's /proc would show the numbers of the outer namespace.
        const bool own = spec.pidns == PidMode::kernel && !facts.numbered;
        if (own) steps.push_back(proc_step(spec, facts, situation));
        // Root inside could otherwise leave its limits by writing its number into another group.
        steps.push_back({"make the cgroup file systems read-only", action::ReadOnly{"/sys/fs/cgroup"}});
        add_first(steps, spec, facts);
        if (!placements.empty()) steps.push_back(placing_step(std::move(placements)));
        add_registries(steps, spec, facts);
        return steps;
    }
    auto root = open_root(spec.rootfs);
    if (!root) return std::unexpected(root.error());
    steps.push_back(
        {"bind the root directory \"" + spec.rootfs + "\"", action::BindRoot{spec.rootfs, std::move(*root)}});
    auto dev = dev_steps(facts, situation);
    std::move(dev.begin(), dev.end(), std::back_inserter(steps));
    steps.push_back(
        {"mount a private /tmp",
         action::Mount{"tmpfs", "/tmp", {{"mode", "1777"}}, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, 01777}});
    steps.push_back(proc_step(spec, facts, situation));
    steps.push_back({"bind the host's /sys read-only",
                     action::BindTree{"/sys", "/sys", action::Source::sysfs, MOUNT_ATTR_RDONLY | inert}});
    for (const char* path : masked) steps.push_back({std::string("mask ") + path, action::Mask{path}});
    for (const char* path : unwritable)
        steps.push_back({std::string("make ") + path + " read-only", action::ReadOnly{path}});
    add_first(steps, spec, facts);
    // By the host's paths of the copies, so before they are out of reach; after all mounts that may hide an
    // image.
    if (!placements.empty()) steps.push_back(placing_step(std::move(placements)));
    steps.push_back({"make \"" + spec.rootfs + "\" the root", action::PivotRoot{}});
    return steps;
}

}  // namespace ctr::rootfs
