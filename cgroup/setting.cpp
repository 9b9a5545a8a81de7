#include "cgroup/setting.h"

#include <cerrno>

namespace ctr::cgroup {

namespace {

Error explained(Error error, const Quantity* quantity, bool missing) {
    if (quantity == nullptr) return error;
    if (error.err == EINVAL && quantity->controller == cpu_controller) {
        error.why = "the group above allows less";
        error.hint = "a smaller number";
    }
    if (missing && quantity->controller == io_controller) {
        error.why = "this kernel weighs no devices' users: it has neither bfq nor io.cost";
        error.hint = "modprobe bfq, and echo bfq > /sys/block/DISK/queue/scheduler";
    }
    return error;
}

}  // namespace

Status write_setting(const Directory& group, const Setting& setting, std::string_view step,
                     const Quantity* quantity, std::vector<std::string>& warnings) {
    const bool missing = !group.has(setting.file);
    if (missing && !setting.or_file.empty() && group.has(setting.or_file)) return {};
    if (missing && !setting.without.empty()) {
        warnings.push_back(setting.without);
        return {};
    }
    Status written = group.write(setting.file, setting.text, step);
    if (written) return written;
    return std::unexpected(explained(std::move(written).error(), quantity, missing));
}

std::optional<std::string> text_now(const Directory& group, const Setting& setting) {
    const auto whole = group.read(setting.file, "read a limit");
    if (!whole) return {};
    std::string found = setting.none;
    for_each_line(*whole, [&](std::string_view line) {
        std::string_view rest = line;
        const std::string_view first = take_until(rest, ' ');
        if (setting.none.empty())
            found = first == "default" ? rest : line;  // "default 100": the weight of all devices
        else if (setting.none.starts_with(first) && setting.none.substr(first.size()).starts_with(' '))
            found = line;
    });
    return found;
}

}  // namespace ctr::cgroup
