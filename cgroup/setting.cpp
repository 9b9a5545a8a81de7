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

Status write_setting(const Directory& group, const Setting& setting, const Quantity* quantity,
                     std::vector<std::string>& warnings) {
    const bool missing = !group.has(setting.file);
    if (missing && !setting.or_file.empty() && group.has(setting.or_file)) return {};
    if (missing && !setting.without.empty()) {
        warnings.push_back(setting.without);
        return {};
    }
    const std::string step = quantity != nullptr ? "limit the " + std::string(quantity->words) : setting.step;
    Status written = group.write(setting.file, setting.text, step);
    if (written) return written;
    return std::unexpected(explained(std::move(written).error(), quantity, missing));
}

Result<std::optional<std::string>> text_now(const Directory& group, const Setting& setting) {
    if (!group.has(setting.file)) return std::nullopt;
    const auto whole = group.read(setting.file, "read what is limited already");
    if (!whole) return std::unexpected(whole.error());
    if (setting.none.empty()) {
        std::string_view line = std::string_view(*whole).substr(0, whole->find('\n'));
        constexpr std::string_view of_all_devices = "default ";  // io.weight
        if (line.starts_with(of_all_devices)) line.remove_prefix(of_all_devices.size());
        return std::string(line);
    }
    const std::string device = setting.none.substr(0, setting.none.find(' ') + 1);
    std::string found = setting.none;
    for_each_line(*whole, [&](std::string_view line) {
        if (line.starts_with(device)) found = line;
    });
    return found;
}

}  // namespace ctr::cgroup
