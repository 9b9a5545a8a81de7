// Another command for a container that runs already, as a value.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/spec.h"
#include "runtime/window.h"

namespace ctr {

// With what differs from the container's own.
struct ExecSpec {
    std::vector<std::string> command;                      // argv, at least one element
    std::vector<std::pair<std::string, std::string>> env;  // over the container's
    std::string workdir;                                   // absolute, inside; empty: the container's
    std::optional<User> user;
    std::optional<action::WindowSize> terminal;  // it has one of its own, of this size
    bool detached = false;  // it goes on without who ordered it, and nobody is told its end
    bool operator==(const ExecSpec&) const = default;
};

}  // namespace ctr
