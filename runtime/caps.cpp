#include "runtime/caps.h"

#include <sys/capability.h>

#include <algorithm>
#include <cctype>

namespace ctr::caps {

namespace {

constexpr const char* step = "choose capabilities";

struct Wanted {
    uint64_t named = 0;
    bool all = false;
};

bool is_all(const std::string& name) {
    return name.size() == 3 && std::equal(name.begin(), name.end(), "ALL", [](char a, char b) {
               return std::toupper(static_cast<unsigned char>(a)) == b;
           });
}

Result<Wanted> collect(const std::vector<std::string>& names) {
    Wanted wanted;
    for (const std::string& name : names) {
        if (is_all(name)) {
            wanted.all = true;
            continue;
        }
        const auto capability = parse(name);
        if (!capability) return std::unexpected(capability.error());
        wanted.named |= bit(*capability);
    }
    return wanted;
}

}  // namespace

Result<int> parse(std::string_view name) {
    const std::string hint = "a name like NET_ADMIN or CAP_NET_ADMIN (capabilities(7)), or ALL";
    std::string lower;
    for (const char c : name) {
        // libcap takes numbers as well, and gives a meaning to any of them.
        if (std::isalpha(static_cast<unsigned char>(c)) == 0 && c != '_')
            return fail_input(step, "\"" + std::string(name) + "\" is no capability", hint);
        lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    if (!lower.starts_with("cap_")) lower.insert(0, "cap_");
    cap_value_t value = 0;
    if (cap_from_name(lower.c_str(), &value) != 0)
        return fail_input(step, "\"" + std::string(name) + "\" is no capability", hint);
    return value;
}

std::vector<std::string> names() {
    constexpr size_t prefix = sizeof "CAP_" - 1;
    std::vector<std::string> all;
    for (int capability = 0; capability <= CAP_LAST_CAP; ++capability)
        all.push_back(format(bit(capability)).substr(prefix));
    return all;
}

std::string format(uint64_t set) {
    std::string text;
    for (int capability = 0; capability < 64; ++capability) {
        if ((set & bit(capability)) == 0) continue;
        if (!text.empty()) text += ',';
        char* name = cap_to_name(capability);
        std::string word = name == nullptr ? "CAP_" + std::to_string(capability) : name;
        cap_free(name);
        std::transform(word.begin(), word.end(), word.begin(),
                       [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        text += word;
    }
    return text.empty() ? "none" : text;
}

Result<uint64_t> choose(const std::vector<std::string>& add, const std::vector<std::string>& drop,
                        uint64_t available) {
    const auto added = collect(add);
    if (!added) return std::unexpected(added.error());
    const auto dropped = collect(drop);
    if (!dropped) return std::unexpected(dropped.error());
    if (added->all && dropped->all)
        return fail_input(step, "ALL is both added and dropped",
                          "give it to one of --cap-add and --cap-drop");
    if (const uint64_t both = added->named & dropped->named; both != 0)
        return fail_input(step, format(both) + " is both added and dropped",
                          "give it to one of --cap-add and --cap-drop");
    if (const uint64_t missing = added->named & ~available; missing != 0)
        return fail_input(step, format(missing) + " can't be added: ctr itself doesn't have it",
                          "leave it out, or start ctr with it");
    const uint64_t base = dropped->all ? 0 : added->all ? available : defaults & available;
    return (base | added->named) & ~dropped->named;
}

action::SetCapabilities set_exactly(uint64_t set, bool after_filter) {
    action::SetCapabilities action;
    action.effective = set;
    action.after_filter = after_filter;
    for (unsigned half = 0; half < 2; ++half)
        action.data[half].effective = action.data[half].permitted = static_cast<uint32_t>(set >> (32 * half));
    return action;
}

}  // namespace ctr::caps
