#include "pidns/surface/structures.h"

namespace ctr::pidns {

namespace {

using Kind::group, Kind::process, Kind::thread;

constexpr int32_t unlocked = 2;   // F_UNLCK: l_pid is left as it was
constexpr int32_t to_thread = 4;  // SIGEV_THREAD_ID

constexpr Field number[] = {{.offset = 0, .kind = group}};
constexpr Field flock[] = {
    {.offset = 24, .kind = process, .guard = {.offset = 0, .size = 2, .differs = true, .value = unlocked}}};
constexpr Field io_owner_ex[] = {{.offset = 4, .kind = Kind::owner_ex, .selector = 0}};
constexpr Field credentials[] = {{.offset = 0, .kind = process}};
constexpr Field capability_header[] = {{.offset = 4, .kind = thread}};
constexpr Field sigevent[] = {
    {.offset = 16, .kind = thread, .guard = {.offset = 12, .size = 4, .value = to_thread}}};
constexpr Field shm_state[] = {{.offset = 80, .kind = process}, {.offset = 84, .kind = process}};
constexpr Field msg_state[] = {{.offset = 96, .kind = process}, {.offset = 100, .kind = process}};
constexpr Field pidfd_info[] = {
    {.offset = 16, .kind = thread}, {.offset = 20, .kind = process}, {.offset = 24, .kind = process}};
constexpr Field io_owner[] = {{.offset = 0, .kind = Kind::owner}};

template <auto& fields>
constexpr Fields all{fields, fields + sizeof fields / sizeof fields[0]};

// By Structure.
constexpr Fields layouts[] = {
    {},
    all<number>,
    all<flock>,
    all<io_owner_ex>,
    all<credentials>,
    all<capability_header>,
    all<sigevent>,
    all<shm_state>,
    all<msg_state>,
    all<pidfd_info>,
    all<io_owner>,
    {},  // siginfo: by has_kernel_pid
    {},
};
static_assert(sizeof layouts / sizeof layouts[0] == static_cast<unsigned>(Structure::last));

}  // namespace

Fields fields_of(Structure structure) {
    return structure < Structure::last ? layouts[static_cast<unsigned>(structure)] : Fields{};
}

}  // namespace ctr::pidns
