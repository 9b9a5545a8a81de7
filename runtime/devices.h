// A private /dev: a small tmpfs with the host's harmless devices, terminals and shared memory of its own.
#pragma once

#include <string>
#include <vector>

#include "runtime/action.h"

namespace ctr::devices {

struct Options {
    bool terminal_group = false;  // the group "tty" exists in the container's user namespace
    bool own_memory = true;       // /dev/shm is private; else the host's
    bool make_target = true;
};

std::vector<Step> steps(const std::string& target, Options options);

}  // namespace ctr::devices
