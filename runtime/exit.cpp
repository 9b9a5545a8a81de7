#include "runtime/exit.h"

#include <sys/wait.h>

namespace ctr {

Exit exit_from(int wait_status) {
    if (WIFSIGNALED(wait_status)) return {128 + WTERMSIG(wait_status), WTERMSIG(wait_status)};
    return {WEXITSTATUS(wait_status), 0};
}

}  // namespace ctr
