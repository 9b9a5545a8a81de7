// Other limits for groups that exist: all of them, or none.
#pragma once

#include <string>
#include <vector>

#include "cgroup/existing.h"
#include "cgroup/limits.h"
#include "cgroup/resolved_limits.h"
#include "runtime/base/error.h"

namespace ctr::cgroup {

// What was changed in the control files, and what stood there before.
class Change {
  public:
    Change(Change&&) = default;
    Change& operator=(Change&&) = default;
    Change(const Change&) = delete;  // what is done refers to the groups
    Change& operator=(const Change&) = delete;
    ~Change() = default;

    // Puts back what was, the last first. An error says what couldn't be; the rest is put back nevertheless.
    Status undo();

    // For the user: what isn't limited in full.
    const std::vector<std::string>& warnings() const { return warnings_; }

  private:
    friend Result<Change> change_limits(const std::vector<std::string>&, const Limits&,
                                        const LimitsByDevice&);
    // One write, on the way or done.
    struct Step {
        const ExistingGroup* group;
        Setting setting;           // what was there before, once it is done
        const Quantity* quantity;  // null: a device
    };

    explicit Change(std::vector<ExistingGroup> groups) : groups_(std::move(groups)) {}
    Result<std::vector<Step>> plan(const Limits& limits, const LimitsByDevice& devices) const;
    Result<std::vector<Step>> plan(const Quantity& quantity, uint64_t value) const;
    Result<std::vector<Step>> plan(DeviceNumber device, const IoLimit& limit) const;
    Status make(std::vector<Step> steps);
    Status make(const Step& step);

    std::vector<ExistingGroup> groups_;
    std::vector<Step> done_;
    std::vector<std::string> warnings_;
};

// Sets what isn't 0 in the limits, for all groups of one container; `unlimited` lifts a limit, to what the
// group above imposes where the kernel wouldn't (v1). What can be refused beforehand is: a controller that no
// group has, less memory than is in use. If the kernel refuses something, what was changed by then is put
// back. LIMITS: but for those on devices.
Result<Change> change_limits(const std::vector<std::string>& directories, const Limits& limits,
                             const LimitsByDevice& devices);

// Whether limits on writes hold only for those that don't go through the page cache (v1).
bool limits_direct_writes_only(const std::vector<std::string>& directories);

}  // namespace ctr::cgroup
