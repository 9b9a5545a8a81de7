#include "runtime/starter.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "runtime/base/sys.h"

namespace ctr {

Result<Fd> watch_parent(HostPid parent) {
    Fd watch(sys::pidfd_open(raw(parent), 0));
    if (!watch) return fail_call("watch the parent process", "pidfd_open");
    if (getppid() != raw(parent))
        return fail_call("watch the parent process", "getppid", ESRCH, "it has ended");
    return watch;
}

}  // namespace ctr
