#include "runtime/devices.h"

#include <sys/mount.h>

namespace ctr::devices {

namespace {

constexpr uint32_t terminal_group = 5;  // "tty" of every distribution

struct Device {
    const char* name;
    unsigned major;
    unsigned minor;
};
constexpr Device table[] = {{"null", 1, 3},   {"zero", 1, 5},    {"full", 1, 7},
                            {"random", 1, 8}, {"urandom", 1, 9}, {"tty", 5, 0}};

struct Link {
    const char* name;
    const char* points_to;
};
constexpr Link links[] = {{"ptmx", "pts/ptmx"},
                          {"fd", "/proc/self/fd"},
                          {"stdin", "/proc/self/fd/0"},
                          {"stdout", "/proc/self/fd/1"},
                          {"stderr", "/proc/self/fd/2"}};

Step memory_step(const std::string& target, bool own) {
    if (own)
        return {"mount a private " + target,
                action::Mount{"tmpfs", target, {{"mode", "1777"}}, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV}};
    return {"bind the host's /dev/shm",
            action::BindTree{"/dev/shm", target, action::Source::directory, MOUNT_ATTR_NODEV}};
}

}  // namespace

std::vector<Step> steps(const std::string& target, Options options) {
    std::vector<Step> steps;
    // nodev: nodes made in here with CAP_MKNOD can't be opened; the devices are mounts of the host's own
    // nodes.
    steps.push_back(
        {"mount a private " + target, action::Mount{"tmpfs",
                                                    target,
                                                    {{"mode", "0755"}, {"size", "1m"}},
                                                    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC,
                                                    0755,
                                                    options.make_target}});
    for (const Device& device : table) {
        const std::string path = target + "/" + device.name;
        steps.push_back({"put " + path + " in place",
                         action::BindDevice{target, device.name, device.major, device.minor}});
    }
    action::Mount pts{"devpts",
                      target + "/pts",
                      {{"newinstance", ""}, {"ptmxmode", "0666"}, {"mode", "0620"}},
                      MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC};
    if (options.terminal_group) pts.options.emplace_back("gid", std::to_string(terminal_group));
    steps.push_back({"mount private terminals on " + pts.target, std::move(pts)});
    steps.push_back(memory_step(target + "/shm", options.own_memory));
    for (const Link& link : links)
        steps.push_back({"make the link " + target + "/" + link.name,
                         action::MakeLink{target + "/" + link.name, link.points_to}});
    return steps;
}

}  // namespace ctr::devices
