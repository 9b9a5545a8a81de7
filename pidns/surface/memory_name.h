// What the files in memory are called that stand for texts of /proc: "ctr:BIRTH:PLACE". PLACE is the path
// below /proc in the host's numbers; BIRTH makes sure that the process is still the same: when it was born,
// as /proc/PID/stat has it, or
// "@" and what the numbers (model/table.h) know its entry by, which costs nothing to find out. Freestanding.
#pragma once

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

}  // namespace ctr::pidns
