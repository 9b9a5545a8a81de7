#include "cgroup/device.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "cgroup/control_file.h"
#include "cgroup/mounts.h"

namespace ctr::cgroup {
namespace {

std::string step_for(const std::string& path) {
    return "find the block device of \"" + path + "\"";
}

std::string base_name(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

// Names a device by its number, and finds the disk of a partition: /sys/dev/block/8:1 leads to
// .../block/sda/sda1, and only partitions have a file "partition" there.
Result<BlockDevice> name_device(const std::string& path, DeviceNumber number, BlockDevice::Found found,
                                const Host& host) {
    if (host.genuine) {
        const Result<Directory> sys = Directory::open(host.sys, step_for(path));
        if (!sys) return std::unexpected(sys.error());
        if (Status genuine = check_file_system(sys->fd(), host.sys, SYSFS_MAGIC); !genuine) {
            return std::unexpected(std::move(genuine.error()).within(step_for(path)));
        }
    }
    const std::string link = host.sys + "/dev/block/" + to_string(number);
    const std::unique_ptr<char, decltype(&free)> real(realpath(link.c_str(), nullptr), free);
    if (!real) {
        return fail_call(step_for(path), "realpath " + link, errno,
                         "the kernel knows no block device " + to_string(number) + "; is it attached?",
                         "lsblk lists those that there are");
    }
    const std::string directory = real.get();
    BlockDevice device{.number = number, .name = base_name(directory), .path = path, .found = found};
    if (access((directory + "/partition").c_str(), F_OK) != 0) return device;

    const std::string disk = directory.substr(0, directory.rfind('/'));
    const Result<std::string> disk_text = read_file(disk + "/dev", step_for(path));
    if (!disk_text) return std::unexpected(disk_text.error());
    const std::optional<DeviceNumber> disk_number = parse_device_number(*disk_text);
    if (!disk_number) return fail_input(step_for(path), disk + "/dev says \"" + *disk_text + "\"");
    device.partition = std::exchange(device.name, base_name(disk));
    device.partition_number = std::exchange(device.number, *disk_number);
    return device;
}

// Whether a file system's type is one that lives on a block device, so that the source of its mounts means
// one: for all others the source is any text that who mounted it liked ("mount -t tmpfs /dev/sda /mnt"
// works).
Result<bool> needs_device(const std::string& type, const std::string& step, const Host& host) {
    const Result<std::string> known = read_file(host.proc + "/filesystems", step);
    if (!known) return std::unexpected(known.error());
    bool needs = false;
    for_each_line(*known, [&](std::string_view line) {
        needs = needs || (line.starts_with('\t') && line.substr(1) == type);
    });
    return needs;
}

// A way out for file systems that keep their data on another one.
std::string hint_for(const Mount& mount) {
    std::string_view options = mount.options;
    while (!options.empty()) {
        std::string_view option = take_until(options, ',');
        if (option.starts_with("upperdir=")) {
            return "its files are written below " + std::string(option.substr(option.find('=') + 1)) +
                   ": name that directory as seen from the host, or the device";
        }
    }
    return "name a block device (lsblk lists them), or a directory on a disk";
}

// Major 0 is the kernel's for file systems without a device, but btrfs uses it too, for its subvolumes.
Result<BlockDevice> from_mount(const std::string& path, const FileFacts& facts, const Host& host) {
    const std::string step = step_for(path);
    const Result<std::string> text = read_file(host.proc + "/" + host.mounts_of + "/mountinfo", step);
    if (!text) return std::unexpected(text.error());
    const std::vector<Mount> mounts = parse_mountinfo(*text);
    const auto mount =
        std::find_if(mounts.begin(), mounts.end(), [&](const Mount& m) { return m.id == facts.mount; });
    if (mount == mounts.end()) {
        return fail_input(
            step, "it is on a file system without a block device, whose mount can't be seen from here",
            "name a block device");
    }
    const Result<bool> on_device = needs_device(mount->type, step, host);
    if (!on_device) return std::unexpected(on_device.error());
    if (!*on_device) {
        return fail_input(
            step, "it is on " + mount->type + " (mounted on " + mount->point + "), which has no block device",
            hint_for(*mount));
    }
    const Result<FileFacts> source = look_at(mount->source);
    if (!source || !S_ISBLK(source->mode)) {
        return fail_input(
            step, "its " + mount->type + " is mounted from \"" + mount->source + "\", no block device here",
            "name the block device");
    }
    return name_device(path, source->node, BlockDevice::Found::source, host);
}

}  // namespace

std::string BlockDevice::describe() const {
    const bool whole = partition.empty();
    std::string text = path + (found == Found::node ? " is " : " is on ");
    text += (whole ? name : partition) + " (" + to_string(whole ? number : partition_number) + ")";
    if (!whole) text += ", a partition of " + name + " (" + to_string(number) + ")";
    if (found == Found::source) text += ", the device that its file system was mounted from";
    return text;
}

Result<FileFacts> look_at(const std::string& path) {
    const std::string step = step_for(path);
    if (path.empty())
        return fail_input(step, "the path is empty", "name a block device or a directory on one");
    if (path.find('\0') != std::string::npos) return fail_input(step, "the path contains a zero byte");
    struct statx facts;
    // STATX_MNT_ID: Linux 5.8. Automounts are triggered, as what will be used is what is mounted there then.
    if (statx(AT_FDCWD, path.c_str(), 0, STATX_TYPE | STATX_MODE | STATX_MNT_ID, &facts) != 0) {
        const int err = errno;
        return fail_call(step, "statx", err,
                         err == ENOENT ? "there is no such file, directory or device" : "",
                         err == ENOENT ? "lsblk lists the block devices" : "");
    }
    return FileFacts{.mode = facts.stx_mode,
                     .device = {facts.stx_dev_major, facts.stx_dev_minor},
                     .node = {facts.stx_rdev_major, facts.stx_rdev_minor},
                     .mount = facts.stx_mask & STATX_MNT_ID ? facts.stx_mnt_id : 0};
}

Result<BlockDevice> find_device(const std::string& path, const Host& host) {
    const Result<FileFacts> facts = look_at(path);
    if (!facts) return std::unexpected(facts.error());
    return find_device(path, *facts, host);
}

Result<BlockDevice> find_device(const std::string& path, const FileFacts& facts, const Host& host) {
    if (S_ISBLK(facts.mode)) return name_device(path, facts.node, BlockDevice::Found::node, host);
    if (S_ISCHR(facts.mode)) {
        return fail_input(step_for(path), "it is a character device",
                          "name a block device (lsblk lists them)");
    }
    if (facts.device.major != 0) return name_device(path, facts.device, BlockDevice::Found::holder, host);
    return from_mount(path, facts, host);
}

}  // namespace ctr::cgroup
