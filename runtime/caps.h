// Capabilities by name, as sets of bits (bit n: capability n). Pure.
#pragma once

#include <linux/capability.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/action.h"
#include "runtime/base/error.h"

namespace ctr::caps {

constexpr uint64_t bit(int capability) {
    return uint64_t{1} << capability;
}

// Docker's fourteen.
inline constexpr uint64_t defaults =
    bit(CAP_CHOWN) | bit(CAP_DAC_OVERRIDE) | bit(CAP_FSETID) | bit(CAP_FOWNER) | bit(CAP_MKNOD) |
    bit(CAP_NET_RAW) | bit(CAP_SETGID) | bit(CAP_SETUID) | bit(CAP_SETFCAP) | bit(CAP_SETPCAP) |
    bit(CAP_NET_BIND_SERVICE) | bit(CAP_SYS_CHROOT) | bit(CAP_KILL) | bit(CAP_AUDIT_WRITE);

// "NET_ADMIN", "cap_net_admin", in any case. Numbers and unknown names are errors that quote the text.
Result<int> parse(std::string_view name);

// "CHOWN", "DAC_OVERRIDE" ...: all that the library knows.
std::vector<std::string> names();

// "CAP_CHOWN,CAP_KILL", or "none".
std::string format(uint64_t set);

// The set that the command may have: the default one, more, less. ALL among ADD means everything AVAILABLE,
// ALL among DROP nothing but what is added by name. A capability that is asked for by name and isn't
// available, or is both added and dropped, is an error; default ones that aren't available are left out.
Result<uint64_t> choose(const std::vector<std::string>& add, const std::vector<std::string>& drop,
                        uint64_t available);

// The system call's arguments for exactly SET as effective and permitted.
action::SetCapabilities set_exactly(uint64_t set, bool after_filter);

}  // namespace ctr::caps
