#include "cmd/bench/interrupt.h"

#include <poll.h>
#include <sys/signalfd.h>

namespace ctr::bench {

Result<Interrupt> Interrupt::make() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, number);
    Fd fd(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!fd) return fail_call("await Ctrl-C", "signalfd");
    if (pthread_sigmask(SIG_BLOCK, &signals, nullptr) != 0) return fail_call("await Ctrl-C", "sigprocmask");
    return Interrupt(std::move(fd));
}

bool Interrupt::happened() const {
    pollfd polled{fd_.get(), POLLIN, 0};
    return poll(&polled, 1, 0) == 1;
}

}  // namespace ctr::bench
