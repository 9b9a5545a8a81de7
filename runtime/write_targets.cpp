#include "runtime/write_targets.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>

#include "cgroup/control_file.h"
#include "cgroup/mounts.h"
#include "pidns/monitor/descriptors.h"
#include "pidns/monitor/procfs.h"

namespace ctr {

namespace {

// What is remembered may grow with what the container mounts. Then it is forgotten, and found out anew.
constexpr size_t most_known = 4096;

// DONT_SYNC: a network or user's file system isn't asked.
std::optional<cgroup::FileFacts> look_at(int directory, const char* path, int flags) {
    struct statx facts;
    if (statx(directory, path, flags | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_MNT_ID, &facts) != 0) return {};
    return cgroup::FileFacts{.mode = facts.stx_mode,
                             .device = {facts.stx_dev_major, facts.stx_dev_minor},
                             .node = {facts.stx_rdev_major, facts.stx_rdev_minor},
                             .mount = (facts.stx_mask & STATX_MNT_ID) != 0 ? facts.stx_mnt_id : 0};
}

// The file system of a mount, if that is an overlay.
std::optional<cgroup::DeviceNumber> overlay_of(HostPid thread, uint64_t mount) {
    const auto text = cgroup::read_file(pidns::proc_file(thread, "mountinfo"), "find an overlay");
    if (!text) return {};
    const auto mounts = cgroup::parse_mountinfo(*text);
    const auto found = std::ranges::find(mounts, mount, &cgroup::Mount::id);
    if (found == mounts.end() || found->type != "overlay") return {};
    return cgroup::parse_device_number(found->device);
}

}  // namespace

void WriteTargets::add_overlay(HostPid process, cgroup::DeviceNumber disk) {
    const auto root = look_at(AT_FDCWD, pidns::proc_file(process, "root").c_str(), 0);
    if (!root) return;
    if (const auto overlay = overlay_of(process, root->mount)) overlays_.insert_or_assign(*overlay, disk);
}

std::optional<cgroup::DeviceNumber> WriteTargets::find(HostPid thread, int fd) {
    if (fd < 0) return {};
    const Fd file = pidns::descriptor_place(thread, fd);
    if (!file) return {};
    const auto facts = look_at(file.get(), "", AT_EMPTY_PATH);
    if (!facts || !(S_ISREG(facts->mode) || S_ISBLK(facts->mode))) return {};
    const bool node = S_ISBLK(facts->mode);
    Place place{node, node ? facts->node : facts->device, 0};
    if (place.device.major == 0) place.mount = facts->mount;
    if (const auto found = known_.find(place); found != known_.end()) return found->second;
    if (known_.size() >= most_known) known_.clear();
    return known_[place] = look_up(thread, place, *facts);
}

std::optional<cgroup::DeviceNumber> WriteTargets::look_up(HostPid thread, const Place& place,
                                                          const cgroup::FileFacts& facts) const {
    if (place.mount != 0)
        if (const auto overlay = overlay_of(thread, place.mount)) {
            const auto found = overlays_.find(*overlay);
            return found == overlays_.end() ? std::nullopt : std::optional(found->second);
        }
    const cgroup::Host host{.mounts_of = std::to_string(raw(thread))};
    const auto device = cgroup::find_device("what is written to", facts, host);
    if (!device || !limited_.contains(device->number)) return {};
    return device->number;
}

}  // namespace ctr
