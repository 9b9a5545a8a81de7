// What a container's monitor is to be like.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace ctr::pidns {

enum class Model {
    flat,  // two numbers, the host's and the namespace's own
    hash,  // one on each level, found through a hash
    list,  // the same, found by walking a list
};

struct MonitorOptions {
    Model model = Model::flat;
    uint32_t pid_max = 32768;  // as kernel.pid_max, for each namespace
    std::function<void(const std::string&)>
        warn;  // for a person to read: a program that can't be served, and why
};

}  // namespace ctr::pidns
