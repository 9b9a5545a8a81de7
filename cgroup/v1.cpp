#include "cgroup/v1.h"

#include <linux/magic.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "cgroup/removal.h"

namespace ctr::cgroup {
namespace v1 {
namespace {

struct ThrottleFile {
    IoQuantity quantity;
    const char* name;
};
constexpr ThrottleFile throttle_files[] = {
    {io_read_bytes, "blkio.throttle.read_bps_device"},
    {io_write_bytes, "blkio.throttle.write_bps_device"},
    {io_read_operations, "blkio.throttle.read_iops_device"},
    {io_write_operations, "blkio.throttle.write_iops_device"},
};

// "memory", "cpu,blkio"
std::string names(const std::vector<Controller>& controllers) {
    std::string text;
    for (const Controller& controller : controllers)
        text += (text.empty() ? "" : ",") + std::string(controller.v1_name);
    return text;
}

std::unexpected<Error> explain_mkdir(Error error, const Hierarchy& hierarchy,
                                     const std::vector<Controller>& controllers) {
    const std::string user = std::to_string(geteuid());
    if (error.err == EACCES || error.err == EPERM) {
        error.why = "user " + user + " may not create groups in " + hierarchy.own + ": the " +
                    names(controllers) + " controller of cgroup v1 is not delegated to it";
        error.hint =
            "run ctr as root, or as root make a group and put the shell that starts ctr into it: mkdir " +
            hierarchy.own + "/ctr-" + user + " && chown -R " + user + " " + hierarchy.own + "/ctr-" + user +
            " && echo PID_OF_THE_SHELL > " + hierarchy.own + "/ctr-" + user + "/cgroup.procs";
    } else if (error.err == EROFS) {
        error.why = "the " + names(controllers) + " hierarchy on " + hierarchy.mount_point +
                    " is read-only here, as container runtimes mount it";
        error.hint = "as root: mount -o remount,rw " + hierarchy.mount_point +
                     ", or start the outer container privileged";
    }
    return std::unexpected(std::move(error));
}

// v1 doesn't apply a group's limits to the groups below it (blk-throttle.c: throtl_pd_init makes the tree
// flat without the unified hierarchy), so that a limited process could get rid of its limit by starting a
// container.
Result<LimitsByDevice> read_limits(const Directory& group) {
    LimitsByDevice limits;
    for (const ThrottleFile& file : throttle_files) {
        const Result<std::string> text =
            group.read(file.name, "read the limits of this process's own cgroup");
        // A kernel without throttling has no such file. Whether that matters is seen when a limit is set.
        if (!text && text.error().err == ENOENT) continue;
        if (!text) return std::unexpected(text.error());
        add_throttle_lines(*text, file.quantity, limits);
    }
    return limits;
}

// With what groups below did, where the kernel has such a file; without, as in older ones, the group alone.
Result<std::string> read_counts(const Directory& group, const std::string& file) {
    const std::string recursive = file + "_recursive";
    return group.read(group.has(recursive) ? recursive : file, "read the io counters of the cgroup");
}

constexpr std::string_view create_step = "create a cgroup";

Result<Directory> open_own(const Hierarchy& hierarchy, bool genuine) {
    Result<Directory> own = Directory::open(hierarchy.own, create_step);
    if (!own || !genuine) return own;
    if (Status s = check_file_system(own->fd(), own->path(), CGROUP_SUPER_MAGIC); !s)
        return std::unexpected(s.error());
    return own;
}

class V1 final : public Backend {
  public:
    std::vector<std::string> parents(const Hierarchy& hierarchy) const override { return {hierarchy.own}; }

    Result<Made> make(const Hierarchy& hierarchy, const std::vector<Controller>& controllers,
                      const std::string& name, bool genuine) const override {
        const Result<Directory> own = open_own(hierarchy, genuine);
        if (!own) return std::unexpected(own.error());
        const bool io = std::ranges::find(controllers, io_controller) != controllers.end();
        Result<LimitsByDevice> inherited = io ? read_limits(*own) : LimitsByDevice{};
        if (!inherited) return std::unexpected(inherited.error());
        Result<Directory> made = own->create(name, create_step);
        if (!made) return explain_mkdir(std::move(made.error()), hierarchy, controllers);
        return Made{.directory = std::move(*made),
                    .inherited = std::move(*inherited),
                    .notes = {},
                    .buffered_writes_why =
                        "cgroup v1 doesn't throttle buffered writes: they reach the device from a "
                        "kernel thread outside of the group"};
    }

    std::vector<Setting> settings(const Quantity& quantity, uint64_t value) const override {
        const bool lifted = value == unlimited;
        const std::string text = lifted ? "-1" : std::to_string(value);
        if (quantity.controller == cpu_controller)
            return {{"cpu.cfs_period_us", std::to_string(cpu_period)}, {"cpu.cfs_quota_us", text}};
        if (quantity.controller == pids_controller) return {{"pids.max", lifted ? "max" : text}};
        if (quantity.controller == io_controller)
            return {{"blkio.bfq.weight", lifted ? "100" : text, {}, "blkio.weight"},
                    {"blkio.weight", lifted ? "500" : text, {}, "blkio.bfq.weight"}};
        // The second counts memory and swap together, and may not be below the first.
        return {{"memory.limit_in_bytes", text},
                {"memory.memsw.limit_in_bytes", lifted ? text : std::to_string(2 * value),
                 std::string(swap_not_limited)}};
    }

    Result<std::vector<Setting>> settings(DeviceNumber device, const IoLimit& limit) const override {
        if (limit.latency != 0)
            return fail_input("limit the latency of device " + to_string(device),
                              "the io controller is in use by cgroup v1, which has no such limit",
                              "leave --io-latency out, or boot with cgroup_no_v1=blkio");
        std::vector<Setting> found;
        for (const ThrottleFile& file : throttle_files) {
            const uint64_t value = limit.*file.quantity.member;
            if (value == 0) continue;
            const std::string none = to_string(device) + " 0";
            const std::string line = to_string(device) + " " + std::to_string(value);
            found.push_back({.file = file.name,
                             .text = value == unlimited ? none : line,
                             .none = none,
                             .step = "limit the " + std::string(file.quantity.words) + " of device " +
                                     to_string(device)});
        }
        return found;
    }

    Result<LimitsByDevice> not_passed_on(const Directory& group) const override { return read_limits(group); }

    Result<Directory> make_for(const Hierarchy& hierarchy, const Controller& controller,
                               const std::string& name, bool genuine) const override {
        const Result<Directory> own = open_own(hierarchy, genuine);
        if (!own) return std::unexpected(own.error());
        Result<Directory> made = own->create(name, create_step);
        if (!made) return explain_mkdir(std::move(made.error()), hierarchy, {controller});
        return made;
    }

    Status freeze(const Directory& group, bool frozen) const override {
        return group.write("freezer.state", frozen ? "FROZEN" : "THAWED", "freeze the cgroup");
    }

    Status kill(const Directory& group) const override { return kill_processes(group.path()); }

    Result<IoCounters> read_counters(const Directory& group, DeviceNumber device) const override {
        const Result<std::string> bytes = read_counts(group, "blkio.throttle.io_service_bytes");
        if (!bytes) return std::unexpected(bytes.error());
        const Result<std::string> operations = read_counts(group, "blkio.throttle.io_serviced");
        if (!operations) return std::unexpected(operations.error());
        return IoCounters{.read_bytes = counter(*bytes, device, "Read"),
                          .write_bytes = counter(*bytes, device, "Write"),
                          .read_operations = counter(*operations, device, "Read"),
                          .write_operations = counter(*operations, device, "Write")};
    }
};

}  // namespace

void add_throttle_lines(std::string_view text, const IoQuantity& quantity, LimitsByDevice& limits) {
    for_each_line(text, [&](std::string_view line) {
        unsigned long rate = 0;
        const std::optional<DeviceNumber> device = parse_device_number(take_until(line, ' '));
        if (device && parse_number(line, rate)) limits[*device].*quantity.member = rate;
    });
}

uint64_t counter(std::string_view text, DeviceNumber device, std::string_view direction) {
    uint64_t value = 0;
    for_each_line(text, [&](std::string_view line) {
        unsigned long number = 0;
        if (parse_device_number(take_until(line, ' ')) != device || take_until(line, ' ') != direction)
            return;
        if (parse_number(line, number)) value = number;
    });
    return value;
}

}  // namespace v1

const Backend& v1_backend() {
    static const v1::V1 backend;
    return backend;
}

}  // namespace ctr::cgroup
