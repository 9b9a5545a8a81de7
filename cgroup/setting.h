// One write to one control file of a group, and how it is taken back.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/control_file.h"
#include "cgroup/limits.h"
#include "runtime/base/error.h"

namespace ctr::cgroup {

struct Setting {
    std::string file;
    std::string text;
    std::string without = {};  // what it means that there is no such file; empty: that is an error
    std::string or_file = {};  // which will do as well, if that is there
    // Of a file with a line for each device: how it is written that it isn't limited, and the step, for
    // errors.
    std::string none = {};
    std::string step = {};
};

inline constexpr std::string_view swap_not_limited =
    "the kernel doesn't account swap to groups: memory that is swapped out isn't limited";

// Nothing is written where there is no such file and that is no error; then a warning may say what it means.
// QUANTITY: what it is for; null: a device.
Status write_setting(const Directory& group, const Setting& setting, const Quantity* quantity,
                     std::vector<std::string>& warnings);

// What to write to have it as it is now. Nothing: there is no such file.
Result<std::optional<std::string>> text_now(const Directory& group, const Setting& setting);

}  // namespace ctr::cgroup
