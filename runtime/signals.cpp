#include "runtime/signals.h"

#include <sys/signalfd.h>

#include <array>

namespace ctr::signals {

namespace {

constexpr std::array meant_for_the_command{SIGHUP,  SIGINT,  SIGQUIT,  SIGTERM,
                                           SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT};

bool ignored(int signal) {
    struct sigaction action {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

sigset_t forwarded() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : meant_for_the_command)
        if (!ignored(signal)) sigaddset(&set, signal);
    return set;
}

Result<Fd> receive(const sigset_t& taken) {
    Fd signals(signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signals) return fail_call("take signals", "signalfd");
    return signals;
}

}  // namespace ctr::signals
