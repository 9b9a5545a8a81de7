// The paths into /proc that the guest code follows itself: "/proc", "/proc/N", "/proc/self", and a name in
// any of them. Pure. Freestanding.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "pidns/surface/text.h"

namespace ctr::pidns::guest {

struct ProcName {
    enum class Whose { nobody, self, process };

    Whose whose = Whose::nobody;
    int number = 0;  // the process's, in the container
    std::string_view name;
};

inline constexpr Literal<5> proc_root = "/proc";
inline constexpr std::size_t longest_proc_name = 63;

constexpr bool is_plain_name(std::string_view name) {
    for (const char c : name)
        if (c != '_' && (c < 'a' || c > 'z')) return false;
    return !name.empty();
}

// Nothing: it is another path, or one that takes more than this to follow. Reads no further than its end, and
// no more than `readable` bytes.
constexpr std::optional<ProcName> proc_name_of(const char* path,
                                               std::size_t readable = longest_proc_name + 1) {
    std::size_t size = 0;
    while (size < readable && size < longest_proc_name && path[size] != '\0') ++size;
    Rest rest({path, size});
    if (size == readable || path[size] != '\0' || !rest.skip(proc_root.view())) return {};
    ProcName named;
    if (rest.empty()) return named;
    if (!rest.skip({"/", 1})) return {};
    const std::string_view first = rest.take_until('/');
    const auto number = number_of(first);
    if (number && *number > 0) {
        named.whose = ProcName::Whose::process;
        named.number = *number;
    } else if (same(first, {"self", 4})) {
        named.whose = ProcName::Whose::self;
    } else {
        named.name = first;
        return rest.empty() && is_plain_name(first) ? std::optional(named) : std::nullopt;
    }
    if (rest.empty()) return named;
    rest.take(1);
    named.name = rest.text();
    return is_plain_name(named.name) ? std::optional(named) : std::nullopt;
}

// The path of the same file in the host's numbers.
class ProcText {
  public:
    ProcText(int host, std::string_view name) {
        Output out({text_, sizeof text_ - 1});
        out.put(proc_root.view());
        out.put('/');
        out.put_number(host);
        if (!name.empty()) out.put('/');
        out.put(name);
        size_ = out.size();
    }
    const char* text() const { return text_; }
    std::string_view place() const { return {text_ + proc_root.size + 1, size_ - proc_root.size - 1}; }

  private:
    char text_[80] = {};  // more than the longest name and number take
    std::size_t size_ = 0;
};

// The path of the caller's own descriptor.
class DescriptorPath {
  public:
    explicit DescriptorPath(int descriptor) {
        Output out({text_, sizeof text_ - 1});
        out.put({"/proc/self/fd/", 14});
        out.put_number(descriptor);
    }
    const char* text() const { return text_; }

  private:
    char text_[32] = {};
};

}  // namespace ctr::pidns::guest
