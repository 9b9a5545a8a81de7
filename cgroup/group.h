// A control group that limits what its processes use: one directory in each hierarchy that a limit needs.
//
// Ownership: the Group owns its directories and removes them when destroyed. After a fork both processes have
// the object: the one that shouldn't remove the group must end without running destructors (_exit), or be
// killed. A process that survives the owner removes the directories by their paths (remove_directories in
// removal.h). Threads: a Group belongs to one thread at a time. Nothing here prints.
#pragma once

#include <string>
#include <vector>

#include "cgroup/backend.h"
#include "cgroup/device.h"
#include "cgroup/host.h"
#include "cgroup/limits.h"
#include "cgroup/removal.h"
#include "runtime/base/error.h"
#include "runtime/base/ids.h"

namespace ctr::cgroup {

// "ctr-PID-RANDOM", with the caller's pid: not used by anybody else.
Result<std::string> unique_group_name();

// Every path at which Group::create may put a group of that name, as things are now; nothing is created. A
// process that knows these before the group exists can remove it (remove_directories) at whatever moment its
// creator is killed.
Result<std::vector<std::string>> possible_directories(const std::string& name,
                                                      const std::vector<Controller>& controllers,
                                                      const Host& host = {});

class Group {
  public:
    // Creates the group below the caller's own (v2: or beside it), in the hierarchies of these controllers
    // (those of controllers_of(limits) at least), and sets the limits. Several limits for one
    // device, as for two partitions of a disk, are all kept by setting the lowest. Under v1 the device limits
    // of the caller's own group are taken over too, because the kernel doesn't pass them on. On an error
    // nothing is left behind.
    static Result<Group> create(const std::string& name, const std::vector<Controller>& controllers,
                                const Limits& limits, const Host& host = {});

    Group(Group&& other) noexcept = default;
    Group& operator=(Group&&) = delete;
    ~Group();  // removes the group, as remove() does

    // Puts the group into the v1 hierarchy of a controller as well, so that it is counted there and can be
    // limited later (change.h). Of v2 it has what is passed on to it: nothing is done then.
    Status extend(const std::string& name, const Controller& controller, const Host& host = {});

    // Moves a process (with all its threads) into the group, by its number in the caller's pid namespace.
    Status join(HostPid process) const;

    // Kills every process in the group and in groups below it. They may still be on their way out on return.
    Status kill() const;

    // Removes the directories, waiting for processes that are on their way out, 2 seconds at most. Once it
    // has succeeded the group is no more, and removing it again does nothing.
    Status remove();

    // Of a group that limits devices.
    Result<IoCounters> read_counters(DeviceNumber device) const;
    Version io_version() const;

    // Absolute paths, in the caller's mount namespace.
    const std::vector<std::string>& directories() const { return directories_; }

    // For the user: what was asked for but can't be had in full, or not in the way it was asked for.
    const std::vector<std::string>& warnings() const { return warnings_; }

    // Why buffered writes aren't limited, though writes are; empty if they are. And the same for the user, if
    // nobody else limits them: a line for each device.
    const std::string& buffered_writes_why() const { return buffered_writes_why_; }
    const std::vector<std::string>& unlimited_writes() const { return unlimited_writes_; }

    // For the user who wants to know: what the paths were resolved to, and what is limited and what is not.
    const std::vector<std::string>& notes() const { return notes_; }

  private:
    struct Part {
        Version version;
        Directory directory;
        std::vector<Controller> controllers;
    };

    Group() = default;
    Result<Backend::Made> add_part(const Hierarchy& hierarchy, const std::vector<Controller>& controllers,
                                   const std::string& name, bool genuine);
    Status limit_devices(const Part& part, Backend::Made made, ResolvedLimits resolved);
    Status limit_quantity(const Part& part, const Quantity& quantity, uint64_t value);
    const Part& io_part() const;

    std::vector<Part> parts_;
    std::vector<std::string> directories_;  // empty once removed or moved from
    std::vector<std::string> warnings_;
    std::string buffered_writes_why_;
    std::vector<std::string> unlimited_writes_;
    std::vector<std::string> notes_;
};

}  // namespace ctr::cgroup
