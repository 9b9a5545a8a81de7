// Memory that a program locks: the mapping of the numbers isn't to be a part of it, nor counted with it.
#include <sys/mman.h>
#include <sys/stat.h>

#include "pidns/guest/kernel.h"
#include "pidns/guest/numbers.h"
#include "pidns/guest/serve.h"

namespace ctr::pidns::guest {

namespace {

// Whether no other thread uses the mapping, as far as one can see.
bool is_alone() {
    struct stat tasks;
    constexpr char directory[] = "/proc/self/task";
    constexpr uint64_t links_of_none = 2;
    return marked(SYS_stat, reinterpret_cast<uint64_t>(directory), reinterpret_cast<uint64_t>(&tasks)) == 0 &&
           tasks.st_nlink == links_of_none + 1;
}

}  // namespace

// The mapping is larger than most programs, and of a file whose pages would all be made. Without it the
// process is served by the monitor.
Action lock_memory(Frame& frame) {
    constexpr uint64_t known = MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT;
    const uint64_t flags = frame.arguments[0];
    const bool locks = (flags & (MCL_CURRENT | MCL_FUTURE)) != 0 && (flags & ~known) == 0;
    if (locks && is_alone()) Mapping::leave();
    return pass(frame);
}

}  // namespace ctr::pidns::guest
