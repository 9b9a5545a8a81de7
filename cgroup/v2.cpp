#include "cgroup/v2.h"

#include <linux/magic.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "cgroup/removal.h"

namespace ctr::cgroup {
namespace v2 {
namespace {

struct Key {
    std::string_view counter;  // in io.stat
    uint64_t IoCounters::*member;
};
constexpr Key keys[] = {
    {"rbytes=", &IoCounters::read_bytes},
    {"wbytes=", &IoCounters::write_bytes},
    {"rios=", &IoCounters::read_operations},
    {"wios=", &IoCounters::write_operations},
};

constexpr std::string_view create_step = "create a cgroup";
constexpr std::string_view delegation_hint =
    "run ctr as root, or have the controllers delegated: put \"[Service]\\nDelegate=cpu io memory pids\" "
    "into "
    "/etc/systemd/system/user@.service.d/delegate.conf, log in again, and start with systemd-run --user "
    "--scope";

// Whether groups below DIRECTORY have the controller, now (false) or after switching it on there (true).
Result<bool> distribute(const Directory& directory, const std::string& controller) {
    const std::string step = "enable the " + controller + " controller below " + directory.path();
    const Result<std::string> now = directory.read("cgroup.subtree_control", step);
    if (!now) return std::unexpected(now.error());
    const std::string_view words = std::string_view(*now).substr(0, now->find('\n'));
    if (has_word(words, controller, ' ')) return false;

    Status enabled = directory.write("cgroup.subtree_control", "+" + controller, step);
    if (enabled) return true;
    Error& error = enabled.error();
    if (error.err == ENOENT || error.err == EINVAL) {
        error.why = "the " + controller +
                    " controller is not available there: it is not delegated, or the kernel has none";
        error.hint = delegation_hint;
    } else if (error.err == EACCES || error.err == EPERM) {
        error.why = "user " + std::to_string(geteuid()) + " may not: the group is not delegated to it";
        error.hint = delegation_hint;
    } else if (error.err == EBUSY) {
        error.why = "a group with processes in it can't have groups with controllers below it";
        error.hint = delegation_hint;
    }
    return std::unexpected(std::move(error));
}

std::string amount(uint64_t value) {
    return value == unlimited ? "max" : std::to_string(value);
}

class V2 final : public Backend {
  public:
    // Below the caller's own group if possible, else below the nearest group above it: v2 lets a group either
    // have processes or pass on controllers, and the caller's own has one process at least. Only the root may
    // do both.
    std::vector<std::string> parents(const Hierarchy& hierarchy) const override {
        std::vector<std::string> found;
        for (std::string path = hierarchy.own; path.size() > hierarchy.mount_point.size();
             path.resize(path.rfind('/'))) {
            found.push_back(path);
        }
        found.push_back(hierarchy.mount_point);
        return found;
    }

    Result<Made> make(const Hierarchy& hierarchy, const std::vector<Controller>& controllers,
                      const std::string& name, bool genuine) const override {
        return on_the_way_up(hierarchy, genuine, [&](const Directory& parent) -> Result<Made> {
            Result<Made> made = make_below(parent, controllers, name);
            if (made && parent.path() != hierarchy.own) {
                made->notes.push_back("the container's cgroup is below " + parent.path() +
                                      ", beside this process's own (" + hierarchy.own +
                                      "), whose limits don't apply to it");
            }
            return made;
        });
    }

    Result<Directory> make_for(const Hierarchy& hierarchy, const Controller& controller,
                               const std::string& name, bool genuine) const override {
        return on_the_way_up(hierarchy, genuine, [&](const Directory& parent) -> Result<Directory> {
            const std::string wanted(controller.name);
            if (wanted.empty()) return create_below(parent, name);
            Result<bool> enabled = distribute(parent, wanted);
            if (!enabled) return std::unexpected(std::move(enabled).error());
            Result<Directory> made = create_below(parent, name);
            if (*enabled) (void)parent.write("cgroup.subtree_control", "-" + wanted, create_step);
            return made;
        });
    }

    // Linux 5.2.
    Status freeze(const Directory& group, bool frozen) const override {
        return group.write("cgroup.freeze", frozen ? "1" : "0", "freeze the cgroup");
    }

    std::vector<Setting> settings(const Quantity& quantity, uint64_t value) const override {
        const std::string text = amount(value);
        if (quantity.controller == cpu_controller)
            return {{"cpu.max", text + " " + std::to_string(cpu_period)}};
        if (quantity.controller == pids_controller) return {{"pids.max", text}};
        // Both have 100 for groups that nobody said anything about.
        if (quantity.controller == io_controller) {
            const std::string weight = value == unlimited ? "100" : text;
            return {{"io.bfq.weight", weight, {}, "io.weight"}, {"io.weight", weight, {}, "io.bfq.weight"}};
        }
        return {{"memory.max", text}, {"memory.swap.max", text, std::string(swap_not_limited)}};
    }

    Result<std::vector<Setting>> settings(DeviceNumber device, const IoLimit& limit) const override {
        std::vector<Setting> found;
        const std::string target = to_string(device) + " target=";
        if (limit.latency != 0)
            found.push_back({.file = "io.latency",
                             .text = target + amount(limit.latency),
                             .none = target + "max",
                             .step = "limit the latency of device " + to_string(device)});
        if (limits_reads(limit) || limits_writes(limit))
            found.push_back({.file = "io.max",
                             .text = io_max_line(device, limit),
                             .none = io_max_line(device, {.path = {},
                                                          .read_bytes = unlimited,
                                                          .write_bytes = unlimited,
                                                          .read_operations = unlimited,
                                                          .write_operations = unlimited}),
                             .step = "limit device " + to_string(device)});
        return found;
    }

    Result<LimitsByDevice> not_passed_on(const Directory&) const override { return LimitsByDevice{}; }

    // cgroup.kill: Linux 5.14.
    Status kill(const Directory& group) const override {
        if (!group.has("cgroup.kill")) return kill_processes(group.path());
        return group.write("cgroup.kill", "1", "kill the processes of the cgroup");
    }

    Result<IoCounters> read_counters(const Directory& group, DeviceNumber device) const override {
        const Result<std::string> text = group.read("io.stat", "read the io counters of the cgroup");
        if (!text) return std::unexpected(text.error());
        return counters(*text, device);
    }

  private:
    // What MAKE makes of the first parent that will do.
    template <class Make>
    auto on_the_way_up(const Hierarchy& hierarchy, bool genuine, Make make) const
        -> decltype(make(std::declval<const Directory&>())) {
        std::optional<Error> reason;
        for (const std::string& path : parents(hierarchy)) {
            const Result<Directory> parent = open_parent(path, genuine);
            auto made = parent ? make(*parent) : std::unexpected(parent.error());
            if (made) return made;
            // EBUSY is the normal answer of the caller's own group; what stopped the way up says more.
            if (!reason || reason->err == EBUSY) reason = std::move(made.error());
        }
        return std::unexpected(*std::move(reason));
    }

    static Result<Directory> open_parent(const std::string& path, bool genuine) {
        Result<Directory> parent = Directory::open(path, create_step);
        if (!parent || !genuine) return parent;
        if (Status s = check_file_system(parent->fd(), path, CGROUP2_SUPER_MAGIC); !s)
            return std::unexpected(s.error());
        return parent;
    }

    static Result<Directory> create_below(const Directory& parent, const std::string& name) {
        Result<Directory> made = parent.create(name, create_step);
        if (made) return made;
        Error& error = made.error();
        if (error.err == EACCES || error.err == EPERM) {
            error.why =
                "user " + std::to_string(geteuid()) + " may not create groups there: it is not delegated";
            error.hint = delegation_hint;
        } else if (error.err == EROFS) {
            error.why = "the cgroup file system is read-only here, as container runtimes mount it";
            error.hint =
                "as root: mount -o remount,rw the cgroup file system, or start the outer container "
                "privileged";
        }
        return made;
    }

    static Result<Made> make_below(const Directory& parent, const std::vector<Controller>& controllers,
                                   const std::string& name) {
        for (const Controller& controller : controllers)
            if (auto enabled = distribute(parent, std::string(controller.name)); !enabled)
                return std::unexpected(std::move(enabled.error()).within(create_step));
        // Dirty pages are charged to groups by the memory controller; the io controller throttles their
        // writing only where both are (Documentation/admin-guide/cgroup-v2.rst, "Writeback").
        const bool io = std::ranges::find(controllers, io_controller) != controllers.end();
        const auto memory = io ? distribute(parent, "memory") : Result<bool>(false);

        Result<Directory> made = create_below(parent, name);
        if (!made) return std::unexpected(std::move(made.error()));
        Made result{.directory = std::move(*made), .inherited = {}, .notes = {}, .buffered_writes_why = {}};
        if (!memory) {
            const Error& error = memory.error();
            result.buffered_writes_why =
                "buffered writes are throttled only where the memory controller is enabled too (" +
                (error.why.empty() ? errno_name(error.err) : error.why) + ")";
        }
        return result;
    }
};

}  // namespace

std::string io_max_line(DeviceNumber device, const IoLimit& limit) {
    std::string line = to_string(device);
    for (const IoQuantity& quantity : io_quantities)
        if (const uint64_t value = limit.*quantity.member; value != 0)
            line += " " + std::string(quantity.key) + "=" + amount(value);
    return line;
}

IoCounters counters(std::string_view text, DeviceNumber device) {
    IoCounters result;
    for_each_line(text, [&](std::string_view line) {
        if (parse_device_number(take_until(line, ' ')) != device) return;
        while (!line.empty()) {
            const std::string_view word = take_until(line, ' ');
            for (const Key& key : keys) {
                unsigned long number = 0;
                if (!word.starts_with(key.counter) || !parse_number(word.substr(key.counter.size()), number))
                    continue;
                result.*key.member = number;
            }
        }
    });
    return result;
}

}  // namespace v2

const Backend& v2_backend() {
    static const v2::V2 backend;
    return backend;
}

}  // namespace ctr::cgroup
