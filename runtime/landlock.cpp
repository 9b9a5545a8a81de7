#include "runtime/landlock.h"

#include <cstdint>

#include "runtime/base/fd.h"
#include "runtime/base/sys.h"

namespace ctr::landlock {

namespace {

// As of ABI 6; the C headers of the oldest supported distribution end at ABI 2.
struct RulesetAttributes {
    uint64_t handled_access_fs = 0;
    uint64_t handled_access_net = 0;
    uint64_t scoped = 0;
};

constexpr uint64_t scope_abstract_socket = 1U << 0;  // LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
constexpr uint64_t scope_signal = 1U << 1;           // LANDLOCK_SCOPE_SIGNAL
constexpr uint32_t create_version = 1U << 0;         // LANDLOCK_CREATE_RULESET_VERSION

}  // namespace

int abi() {
    const int version = sys::landlock_create_ruleset(nullptr, 0, create_version);
    return version > 0 ? version : 0;
}

const char* confine(bool sockets) {
    RulesetAttributes attributes;
    attributes.scoped = sockets ? scope_signal | scope_abstract_socket : scope_signal;
    const Fd ruleset(sys::landlock_create_ruleset(&attributes, sizeof attributes, 0));
    if (!ruleset) return "landlock_create_ruleset";
    if (sys::landlock_restrict_self(ruleset.get(), 0) != 0) return "landlock_restrict_self";
    return nullptr;
}

}  // namespace ctr::landlock
