#include "runtime/gatekeeper.h"

#include <poll.h>

#include "cgroup/device.h"

namespace ctr {

Status Gatekeeper::begin(const Spec& spec, HostPid init) {
    if (!gate_) return {};
    // What is below an overlay that the workload makes for itself nobody knows for sure.
    if (spec.overlay && !spec.overlay->upper.empty())
        if (const auto disk = cgroup::find_device(spec.overlay->upper))
            gate_->add_overlay(init, disk->number);
    return control_.serve_also(gate_->fd(), [this] { gate_->serve(); });
}

std::function<void(const pidns::Listener&, const pidns::Trap&)> Gatekeeper::arrival() {
    return
        [this](const pidns::Listener& listener, const pidns::Trap& trap) { gate_->arrived(listener, trap); };
}

Status Gatekeeper::listen(Fd listener) {
    const int fd = listener.get();
    listener_.add(std::move(listener));
    Status served = control_.serve_also(fd, [this, fd] { take(fd); });
    if (!served) listener_.drop(fd);  // or its processes would wait for ever
    return served;
}

Result<GateAnswer> Gatekeeper::answer(const GateQuestion& question) const {
    if (!gate_ && question.change)
        return fail_input("change limits on writes", "nobody slows writers down in this container");
    if (!gate_) return GateAnswer{};
    if (question.change) gate_->change(*question.change);
    return GateAnswer{gate_->settings(), gate_->counters()};
}

// Without anything to receive it is readable when its processes are gone.
void Gatekeeper::take(int fd) {
    pollfd event{fd, POLLIN, 0};
    poll(&event, 1, 0);
    if ((event.revents & POLLIN) != 0) {
        if (const auto trap = pidns::Listener::receive(fd)) gate_->arrived(listener_, *trap);
    } else if ((event.revents & POLLHUP) != 0) {
        control_.serve_no_more(fd);
        listener_.drop(fd);
    }
}

}  // namespace ctr
