// What a keeper that is a program of its own (keeper_program.h) is told.
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/error.h"
#include "runtime/base/ids.h"
#include "runtime/own_caps.h"
#include "runtime/spec.h"

namespace ctr {

struct KeeperOrder {
    Spec spec;
    HostPid starter = HostPid::none;  // with whom the container ends; none: with nobody
    own_caps::Sets capabilities{};    // the starter's, which the execution must not change
    bool operator==(const KeeperOrder&) const = default;
};

// For a keeper of the same build only.
std::string encode(const KeeperOrder& order);
Result<KeeperOrder> decode_order(std::string_view bytes);

}  // namespace ctr
