#include "runtime/mounts.h"

#include <algorithm>

namespace ctr {

namespace {

constexpr const char* step = "read the mounts";
constexpr size_t longest_target = 511;  // path::make_directory_in_root

bool has_nul(const std::string& path) {
    return path.find('\0') != std::string::npos;
}

// "/", "//", "/./": the root by another name. What ".." or a link makes of a path is known inside only.
bool is_root(const std::string& path) {
    return std::ranges::all_of(path, [](char c) { return c == '/' || c == '.'; });
}

Status check_target(const std::string& target) {
    const std::string quoted = "\"" + target + "\"";
    if (has_nul(target)) return fail_input(step, "a target contains a NUL byte");
    if (!target.starts_with('/'))
        return fail_input(step, "the target " + quoted + " is not absolute",
                          "a path that begins with /, as seen inside");
    if (is_root(target)) return fail_input(step, "the target " + quoted + " is the root", "--rootfs DIR");
    if (target.size() > longest_target)
        return fail_input(step, "the target " + quoted + " is longer than 511 bytes");
    return {};
}

Status check_source(const Bind& bind) {
    if (bind.source.empty()) return fail_input(step, "\"" + bind.target + "\" has no source");
    if (has_nul(bind.source)) return fail_input(step, "a source contains a NUL byte");
    return {};
}

}  // namespace

const std::string& target_of(const MountRequest& mount) {
    return std::visit([](const auto& kind) -> const std::string& { return kind.target; }, mount);
}

Status validate(const std::vector<MountRequest>& mounts) {
    for (const MountRequest& mount : mounts) {
        if (const auto target = check_target(target_of(mount)); !target) return target;
        if (const auto* bind = std::get_if<Bind>(&mount))
            if (const auto source = check_source(*bind); !source) return source;
        if (const auto* tmpfs = std::get_if<Tmpfs>(&mount); tmpfs != nullptr && tmpfs->mode > 07777)
            return fail_input(step, "the mode of \"" + tmpfs->target + "\" has more than four octal digits");
    }
    return {};
}

}  // namespace ctr
