// The size of a terminal's window, in characters.
#pragma once

namespace ctr::action {

struct WindowSize {
    unsigned short rows = 0;
    unsigned short columns = 0;
    bool operator==(const WindowSize&) const = default;
};

}  // namespace ctr::action
