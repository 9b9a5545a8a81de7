// Whether ids beyond the caller's own can be mapped into a user namespace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/check/attempt.h"

namespace ctr::check {

// The first id that the text of /etc/subuid gives to a user, who may be named there by NAME or by number.
std::optional<uint32_t> subordinate_id(std::string_view subuid, std::string_view name, uid_t uid);

Finding map_another_id(const Situation& situation);

}  // namespace ctr::check
