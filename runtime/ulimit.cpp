#include "runtime/ulimit.h"

#include <algorithm>
#include <charconv>

namespace ctr {

namespace {

struct Name {
    std::string_view name;
    __rlimit_resource resource;
};
constexpr Name names[] = {{"core", RLIMIT_CORE},         {"cpu", RLIMIT_CPU},
                          {"data", RLIMIT_DATA},         {"fsize", RLIMIT_FSIZE},
                          {"locks", RLIMIT_LOCKS},       {"memlock", RLIMIT_MEMLOCK},
                          {"msgqueue", RLIMIT_MSGQUEUE}, {"nice", RLIMIT_NICE},
                          {"nofile", RLIMIT_NOFILE},     {"nproc", RLIMIT_NPROC},
                          {"rss", RLIMIT_RSS},           {"rtprio", RLIMIT_RTPRIO},
                          {"rttime", RLIMIT_RTTIME},     {"sigpending", RLIMIT_SIGPENDING},
                          {"stack", RLIMIT_STACK}};

std::unexpected<Error> refuse(std::string_view text, std::string why) {
    return fail_input("read --ulimit \"" + std::string(text) + "\"", std::move(why),
                      "NAME=SOFT[:HARD], for instance nofile=1024:2048 or core=unlimited");
}

std::string name_list() {
    std::string list;
    for (const Name& name : names) list += (list.empty() ? "" : ", ") + std::string(name.name);
    return list;
}

bool parse_value(std::string_view text, rlim_t& value) {
    if (text == "unlimited" || text == "-1") {
        value = RLIM_INFINITY;
        return true;
    }
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && rest == text.data() + text.size();
}

std::string format(rlim_t value) {
    return value == RLIM_INFINITY ? "unlimited" : std::to_string(value);
}

}  // namespace

std::vector<std::string> ulimit_names() {
    std::vector<std::string> list;
    list.reserve(std::size(names));
    for (const Name& name : names) list.emplace_back(name.name);
    return list;
}

Result<Ulimit> parse_ulimit(std::string_view text) {
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) return refuse(text, "there is no \"=\"");
    const std::string_view name = text.substr(0, equals);
    const auto* const known = std::ranges::find(names, name, &Name::name);
    if (known == std::ranges::end(names))
        return refuse(text, "\"" + std::string(name) + "\" is none of " + name_list());
    const std::string_view values = text.substr(equals + 1);
    const size_t colon = values.find(':');
    const std::string_view soft = values.substr(0, colon);
    const std::string_view hard = colon == std::string_view::npos ? soft : values.substr(colon + 1);
    Ulimit limit{known->resource};
    if (!parse_value(soft, limit.soft)) return refuse(text, "\"" + std::string(soft) + "\" is no limit");
    if (!parse_value(hard, limit.hard)) return refuse(text, "\"" + std::string(hard) + "\" is no limit");
    if (limit.soft > limit.hard) return refuse(text, "the soft limit is above the hard one");
    return limit;
}

std::string format(const Ulimit& limit) {
    const auto* const known = std::ranges::find(names, limit.resource, &Name::resource);
    const std::string name(known == std::ranges::end(names) ? "?" : known->name);
    return name + "=" + format(limit.soft) + ":" + format(limit.hard);
}

}  // namespace ctr
