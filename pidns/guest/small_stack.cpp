#include "pidns/guest/small_stack.h"

#include "pidns/guest/serve.h"

namespace ctr::pidns::guest {

namespace {

// What serving takes, with a frame, the longest chain of calls (tests/freestanding/stack_depth.py) and
// reserve.
constexpr uint64_t needed = 1280;

// How g begins, which every thread that runs Go has a pointer to, just below the thread pointer (runtime2.go,
// and sys_linux_amd64.s for the place; all versions so far).
struct Bounds {
    uint64_t low;
    uint64_t high;
};

}  // namespace

// Whoever has something else there doesn't have bounds between which its stack is.
bool has_room(uint64_t stack) {
    uint64_t thread = 0;
    __asm__ volatile("rdfsbase %0" : "=r"(thread));
    const uint64_t place = thread - sizeof(uint64_t);
    if (thread % sizeof(uint64_t) != 0 || !is_readable(stack, place)) return false;
    const uint64_t g = *reinterpret_cast<const uint64_t*>(place);
    if (g % sizeof(uint64_t) != 0 || !is_readable(stack, g, sizeof(Bounds))) return false;
    const Bounds bounds = *reinterpret_cast<const Bounds*>(g);
    return stack <= bounds.high && stack > needed && stack - needed >= bounds.low;
}

}  // namespace ctr::pidns::guest
