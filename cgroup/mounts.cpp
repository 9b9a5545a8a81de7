#include "cgroup/mounts.h"

#include <optional>

#include "cgroup/control_file.h"

namespace ctr::cgroup {
namespace {

bool is_octal(char c) {
    return c >= '0' && c <= '7';
}

// The kernel writes blanks, newlines, backslashes and '#' as "\040".
std::string unescape(std::string_view text) {
    std::string result;
    for (size_t i = 0; i < text.size(); ++i) {
        const bool escape = text[i] == '\\' && i + 3 < text.size() && text[i + 1] <= '3' &&
                            is_octal(text[i + 1]) && is_octal(text[i + 2]) && is_octal(text[i + 3]);
        if (!escape) {
            result += text[i];
            continue;
        }
        const int value = (text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0');
        result += static_cast<char>(value);
        i += 3;
    }
    return result;
}

// "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue"
std::optional<Mount> parse_line(std::string_view line) {
    unsigned long id = 0;
    if (!parse_number(take_until(line, ' '), id)) return std::nullopt;
    take_until(line, ' ');  // parent
    Mount mount{.id = id};
    mount.device = take_until(line, ' ');
    mount.root = unescape(take_until(line, ' '));
    mount.point = unescape(take_until(line, ' '));
    take_until(line, ' ');  // options of the mount
    while (take_until(line, ' ') != "-") {
        if (line.empty()) return std::nullopt;
    }
    mount.type = unescape(take_until(line, ' '));
    mount.source = unescape(take_until(line, ' '));
    mount.options = unescape(line);
    if (mount.point.empty() || mount.type.empty()) return std::nullopt;
    return mount;
}

}  // namespace

std::vector<Mount> parse_mountinfo(std::string_view text) {
    std::vector<Mount> mounts;
    for_each_line(text, [&](std::string_view line) {
        if (auto mount = parse_line(line)) mounts.push_back(std::move(*mount));
    });
    return mounts;
}

}  // namespace ctr::cgroup
