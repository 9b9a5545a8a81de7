// What the files in memory are called that stand for texts of /proc: "ctr:BIRTH:PLACE". PLACE is the path
// below /proc in the host's numbers; BIRTH makes sure that the process is still the same: when it was born,
// as /proc/PID/stat has it, or
// "@" and what the numbers (model/table.h) know its entry by, which costs nothing to find out. Freestanding.
#pragma once

#include <optional>
#include <string_view>

#include "pidns/surface/text.h"

namespace ctr::pidns {

inline constexpr Literal<4> memory_name_prefix = "ctr:";

class EntryBirth {
  public:
    static constexpr char sign = '@';

    explicit EntryBirth(uint32_t birth) : out_(text_) {
        out_.put(sign);
        out_.put_number(static_cast<int>(birth));
    }
    EntryBirth(const EntryBirth&) = delete;
    EntryBirth& operator=(const EntryBirth&) = delete;

    std::string_view text() const { return {text_, out_.size()}; }

  private:
    char text_[12] = {};  // the sign, a minus, ten digits
    Output out_;
};

struct MemoryName {
    std::string_view birth;
    std::string_view place;
};

// Of a file that the kernel calls so, in a link to it: "/memfd:ctr:BIRTH:PLACE (deleted)". Nothing: it is
// none of ours.
constexpr std::optional<MemoryName> memory_name_of(std::string_view link) {
    constexpr std::string_view deleted(" (deleted)", 10);
    Rest rest(link);
    if (!rest.skip({"/memfd:", 7}) || !rest.skip(memory_name_prefix.view())) return {};
    const std::string_view birth = rest.take_until(':');
    if (!rest.skip({":", 1})) return {};
    const size_t size = rest.text().size();
    const bool is_deleted = size >= deleted.size() &&
                            Rest({rest.text().data() + size - deleted.size(), deleted.size()}).skip(deleted);
    return MemoryName{birth, rest.take(is_deleted ? size - deleted.size() : size)};
}

}  // namespace ctr::pidns
