// The paths into /proc that the guest code follows itself: "/proc/N", "/proc/self", and a name in either.
// Pure. Freestanding.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "pidns/surface/text.h"

namespace ctr::pidns::guest {

struct ProcName {
    int number = 0;  // the container's; 0: "self"
    std::string_view name;
};

inline constexpr Literal<6> proc_directory = "/proc/";

// Nothing: it is another path, or one that takes more than this to follow. Reads no further than its end.
constexpr std::optional<ProcName> proc_name_of(const char* path) {
    constexpr std::size_t longest = 63;
    std::size_t size = 0;
    while (size < longest && path[size] != '\0') ++size;
    Rest rest({path, size});
    ProcName named;
    if (path[size] != '\0' || !rest.skip(proc_directory.view())) return {};
    if (!rest.skip({"self", 4})) {
        const auto number = rest.take_number();
        if (!number || *number <= 0) return {};
        named.number = *number;
    }
    if (rest.empty()) return named;
    if (!rest.skip({"/", 1})) return {};
    named.name = rest.text();
    for (const char c : named.name)
        if (c != '_' && (c < 'a' || c > 'z')) return {};
    return named.name.empty() ? std::nullopt : std::optional(named);
}

// The path of the same file in the host's numbers.
class ProcText {
  public:
    ProcText(int host, std::string_view name) {
        Output out({text_, sizeof text_ - 1});
        out.put(proc_directory.view());
        out.put_number(host);
        if (!name.empty()) out.put('/');
        out.put(name);
        size_ = out.size();
    }
    const char* text() const { return text_; }
    std::string_view place() const { return {text_ + proc_directory.size, size_ - proc_directory.size}; }

  private:
    char text_[80] = {};  // more than the longest name and number take
    std::size_t size_ = 0;
};

}  // namespace ctr::pidns::guest
