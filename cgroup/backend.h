// What differs between the versions of the kernel's cgroup interface. Stateless: each version is one constant
// object.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cgroup/control_file.h"
#include "cgroup/hierarchy.h"
#include "cgroup/io_limit.h"
#include "cgroup/limits.h"
#include "cgroup/resolved_limits.h"
#include "cgroup/setting.h"
#include "runtime/base/error.h"

namespace ctr::cgroup {

// What a device did for the processes of a group (and of groups below it) since the group was created.
struct IoCounters {
    uint64_t read_bytes = 0;
    uint64_t write_bytes = 0;
    uint64_t read_operations = 0;
    uint64_t write_operations = 0;
    auto operator<=>(const IoCounters&) const = default;
};

class Backend {
  public:
    struct Made {
        Directory directory;
        LimitsByDevice inherited;  // what the caller's own group imposes and the kernel wouldn't pass on
        std::vector<std::string> notes;   // what else a user may want to know
        std::string buffered_writes_why;  // why buffered writes can't be limited here; empty if they can
    };

    virtual ~Backend() = default;

    // The groups below which make() may create a group, in the order in which it tries them.
    virtual std::vector<std::string> parents(const Hierarchy& hierarchy) const = 0;

    // Creates the group's directory, with the controllers in it.
    virtual Result<Made> make(const Hierarchy& hierarchy, const std::vector<Controller>& controllers,
                              const std::string& name, bool genuine) const = 0;

    // What a limit on one number takes, in this order; `unlimited` lifts it.
    virtual std::vector<Setting> settings(const Quantity& quantity, uint64_t value) const = 0;

    // The same for what isn't 0 in a limit on a device.
    virtual Result<std::vector<Setting>> settings(DeviceNumber device, const IoLimit& limit) const = 0;

    // The limits of a group that hold for groups below it though the kernel doesn't see to that.
    virtual Result<LimitsByDevice> not_passed_on(const Directory& group) const = 0;

    // Creates a group that a controller (by both versions' names; v2's is empty where it needs none) works
    // for. Leaves the groups above as they were.
    virtual Result<Directory> make_for(const Hierarchy& hierarchy, const Controller& controller,
                                       const std::string& name, bool genuine) const = 0;

    // Stops the processes of a group that was made for the freezer, or lets them go on.
    virtual Status freeze(const Directory& group, bool frozen) const = 0;

    // Sets what isn't 0 in the limit.
    Status limit(const Directory& group, DeviceNumber device, const IoLimit& limit) const;

    virtual Status kill(const Directory& group) const = 0;
    virtual Result<IoCounters> read_counters(const Directory& group, DeviceNumber device) const = 0;
};

const Backend& backend_of(Version version);
const Backend& v1_backend();
const Backend& v2_backend();

}  // namespace ctr::cgroup
