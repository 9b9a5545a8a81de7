// What a container's monitor is to be like.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "pidns/model/numbering.h"

namespace ctr::pidns {

struct MonitorOptions {
    Model model = Model::flat;
    uint32_t pid_max = 32768;  // as kernel.pid_max, for each namespace
    std::function<void(const std::string&)>
        warn;  // for a person to read: a program that can't be served, and why
};

}  // namespace ctr::pidns
