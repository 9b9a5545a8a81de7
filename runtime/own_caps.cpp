#include "runtime/own_caps.h"

#include <linux/capability.h>
#include <sys/prctl.h>

#include "runtime/base/sys.h"

namespace ctr::own_caps {

namespace {

// As the kernel wants them: the lower and the upper 32 bits.
struct Halves {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2]{};
};

Sets joined(const Halves& halves) {
    const auto& [low, high] = halves.data;
    return {uint64_t{low.effective} | uint64_t{high.effective} << 32,
            uint64_t{low.permitted} | uint64_t{high.permitted} << 32,
            uint64_t{low.inheritable} | uint64_t{high.inheritable} << 32};
}

Halves split(const Sets& sets) {
    Halves halves;
    for (int half = 0; half < 2; ++half)
        halves.data[half] = {static_cast<uint32_t>(sets.effective >> 32 * half),
                             static_cast<uint32_t>(sets.permitted >> 32 * half),
                             static_cast<uint32_t>(sets.inheritable >> 32 * half)};
    return halves;
}

}  // namespace

Result<Sets> read() {
    Halves halves;
    if (sys::capget(&halves.header, halves.data) != 0)
        return fail_call("read the own capabilities", "capget");
    return joined(halves);
}

Status write(const Sets& sets) {
    Halves halves = split(sets);
    if (sys::capset(&halves.header, halves.data, 0) != 0)
        return fail_call("set the own capabilities", "capset");
    return {};
}

const char* keep_over_execution(uint64_t set) {
    Halves halves;
    if (sys::capget(&halves.header, halves.data) != 0) return "capget";
    Sets sets = joined(halves);
    sets.inheritable |= set;
    halves = split(sets);
    if (sys::capset(&halves.header, halves.data, 0) != 0) return "capset";
    for (unsigned long capability = 0; set >> capability != 0; ++capability)
        if ((set >> capability & 1) != 0 &&
            prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) != 0)
            return "prctl(PR_CAP_AMBIENT_RAISE)";
    return nullptr;
}

}  // namespace ctr::own_caps
