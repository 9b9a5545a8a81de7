#include "pidns/surface/structures.h"

namespace ctr::pidns {

namespace {

using Kind::group, Kind::process, Kind::thread;

constexpr int32_t unlocked = 2;   // F_UNLCK: l_pid is left as it was
constexpr int32_t to_thread = 4;  // SIGEV_THREAD_ID

// No addresses in here: this is data of the code inside workloads as well, which nobody relocates.
struct Layout {
    uint8_t count = 0;
    Field fields[3] = {};
};

// By Structure.
constexpr Layout layouts[] = {
    {},
    {1, {{.offset = 0, .kind = group}}},  // number
    {1,                                   // flock
     {{.offset = 24,
       .kind = process,
       .guard = {.offset = 0, .size = 2, .differs = true, .value = unlocked}}}},
    {1, {{.offset = 4, .kind = Kind::owner_ex, .selector = 0}}},
    {1, {{.offset = 0, .kind = process}}},  // credentials
    {1, {{.offset = 4, .kind = thread}}},   // capability_header
    {1,
     {{.offset = 16, .kind = thread, .guard = {.offset = 12, .size = 4, .value = to_thread}}}},  // sigevent
    {2, {{.offset = 80, .kind = process}, {.offset = 84, .kind = process}}},                     // shm_state
    {2, {{.offset = 96, .kind = process}, {.offset = 100, .kind = process}}},                    // msg_state
    {3, {{.offset = 16, .kind = thread}, {.offset = 20, .kind = process}, {.offset = 24, .kind = process}}},
    {1, {{.offset = 0, .kind = Kind::owner}}},
    {},  // siginfo: by has_kernel_pid
    {},
};
static_assert(sizeof layouts / sizeof layouts[0] == static_cast<unsigned>(Structure::last));

}  // namespace

Fields fields_of(Structure structure) {
    if (structure >= Structure::last) return {};
    const Layout& layout = layouts[static_cast<unsigned>(structure)];
    return {layout.fields, layout.fields + layout.count};
}

}  // namespace ctr::pidns
