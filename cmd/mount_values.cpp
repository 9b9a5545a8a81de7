#include "cmd/mount_values.h"

#include <charconv>

#include "cgroup/rate.h"

namespace ctr::cmd {

namespace {

std::unexpected<Error> refuse(const std::string& option, const std::string& text, const std::string& right) {
    return fail_input("read --" + option, "\"" + text + "\" is not understood", right);
}

// SOURCE:/TARGET[:MODE]
struct Parts {
    std::string source;
    std::string target;
    std::string mode;  // with its colon; empty: none
};

bool split(const std::string& text, Parts& parts) {
    const size_t colon = text.rfind(":/");
    if (colon == std::string::npos || colon == 0) return false;
    parts.source = text.substr(0, colon);
    parts.target = text.substr(colon + 1);
    const size_t mode = parts.target.find(':');
    if (mode == std::string::npos) return true;
    parts.mode = parts.target.substr(mode);
    parts.target.resize(mode);
    return true;
}

Status take_tmpfs_option(const std::string& word, Tmpfs& tmpfs) {
    const std::string value = word.substr(word.find('=') + 1);
    if (word.starts_with("size=")) {
        const auto size = cgroup::parse_rate(value);
        if (!size || value.ends_with("/s")) return refuse("tmpfs", word, "size=64m, or a number of bytes");
        tmpfs.size = *size;
        return {};
    }
    const char* end = value.data() + value.size();
    const auto [rest, error] = std::from_chars(value.data(), end, tmpfs.mode, 8);
    if (!word.starts_with("mode=") || error != std::errc() || rest != end || tmpfs.mode > 07777)
        return refuse("tmpfs", word, "size=BYTES or mode=OCTAL");
    return {};
}

struct MountOption {
    const char* name;
    Result<MountRequest> (*parse)(const std::string& text);
};
constexpr MountOption mount_options[] = {
    {"bind", [](const std::string& text) { return parse_bind("bind", text); }},
    {"ro-bind", [](const std::string& text) { return parse_bind("ro-bind", text); }},
    {"volume", parse_volume},
    {"tmpfs", parse_tmpfs},
    {"dev", [](const std::string& text) -> Result<MountRequest> { return Devices{text}; }}};

}  // namespace

Result<MountRequest> parse_bind(const std::string& option, const std::string& text) {
    Parts parts;
    if (!split(text, parts) || !parts.mode.empty())
        return refuse(option, text, "SOURCE:TARGET, the target beginning with /");
    return Bind{parts.source, parts.target, option == "ro-bind"};
}

Result<MountRequest> parse_volume(const std::string& text) {
    const char* right = "SOURCE:TARGET, SOURCE:TARGET:ro or SOURCE:TARGET:rw, the target beginning with /";
    Parts parts;
    if (!split(text, parts)) return refuse("volume", text, right);
    if (!parts.mode.empty() && parts.mode != ":ro" && parts.mode != ":rw")
        return fail_input("read --volume",
                          "\"" + parts.mode.substr(1) + "\" of \"" + text + "\" is not understood", right);
    if (parts.source[0] != '/' && parts.source[0] != '.')
        return fail_input("read --volume", "\"" + parts.source + "\" names a volume, which ctr doesn't have",
                          "a path that begins with / or ./");
    return Bind{parts.source, parts.target, parts.mode == ":ro"};
}

Result<MountRequest> parse_tmpfs(const std::string& text) {
    const size_t colon = text.find(':');
    Tmpfs tmpfs{.target = text.substr(0, colon)};
    if (colon == std::string::npos) return tmpfs;
    for (size_t start = colon + 1;;) {
        const size_t comma = text.find(',', start);
        if (auto taken = take_tmpfs_option(text.substr(start, comma - start), tmpfs); !taken)
            return std::unexpected(std::move(taken).error());
        if (comma == std::string::npos) return tmpfs;
        start = comma + 1;
    }
}

Status take_mounts(const Given& given, std::vector<MountRequest>& mounts) {
    for (const auto& [name, text] : given.in_order())
        for (const MountOption& option : mount_options) {
            if (name != option.name) continue;
            auto mount = option.parse(text);
            if (!mount) return std::unexpected(std::move(mount).error());
            mounts.push_back(std::move(*mount));
        }
    return {};
}

}  // namespace ctr::cmd
