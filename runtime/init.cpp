// Async-signal-safe: see child.h.
#include "runtime/init.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pidns/surface/mark.h"
#include "runtime/base/sys.h"
#include "runtime/child.h"

namespace ctr {

namespace {

int code_of(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

// Marked, as all calls with numbers here: the pid layer, where there is one, has nothing to translate.
void be_init(pid_t command, int* end) {
    prctl(PR_SET_NAME, "ctr-init");
    sigset_t all;
    sigfillset(&all);
    while (true) {
        const int signal = sys::sigwait_marked(all, pidns::mark);
        if (signal != SIGCHLD) {
            if (signal > 0) sys::kill_marked(command, signal, pidns::mark);
            continue;
        }
        int status = 0;
        for (pid_t child = 0; (child = sys::wait_marked(status, WNOHANG | __WALL, pidns::mark)) > 0;)
            if (child == command) {
                *end = status;
                _exit(code_of(status));
            }
    }
}

namespace child {

Fault execute(State& state, const action::LeaveInit& action) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    if (sigprocmask(SIG_SETMASK, &all, &before) != 0) return failed("sigprocmask");
    const pid_t command = sys::fork_marked(pidns::mark);
    if (command < 0) return failed("fork");
    if (command == 0)
        return sigprocmask(SIG_SETMASK, &before, nullptr) == 0 ? Fault{} : failed("sigprocmask");
    if (const Fault fault = execute(state, action.held); fault.happened) _exit(125);
    // The end of the channel is the command's to bring about.
    state.channel.close();
    state.listener.reset();
    be_init(command, state.arguments.end);
}

}  // namespace child

}  // namespace ctr
