#include "pidns/monitor/monitor.h"

#include <linux/audit.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "pidns/monitor/procfs.h"

namespace ctr::pidns {

namespace {

constexpr const char* step = "run the pid monitor";

// How long a thread that should stop at once may take before the monitor turns to other work.
constexpr int patience_ms = 5;

// Numbers whose processes ended unseen are collected even while nothing happens, before the host uses them
// again.
constexpr int idle_ms = 1000;

// While stops keep coming, how many are served before the next trap is.
constexpr int stops_before_traps = 4;

constexpr pid_t anybody = -1;  // of waitpid

bool has_trap(int listener) {
    pollfd more{listener, POLLIN, 0};
    return poll(&more, 1, 0) == 1 && (more.revents & POLLIN) != 0;
}

}  // namespace

Result<std::unique_ptr<Monitor>> Monitor::create(Fd listener, HostPid init, Numbers numbers,
                                                 const MonitorOptions& options) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    Fd child_signals(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!child_signals) return fail_call(step, "signalfd");
    if (auto done = Alarm::install(); !done) return std::unexpected(std::move(done).error());
    numbers.register_init(init);
    std::unique_ptr<Monitor> monitor(
        new Monitor(std::move(listener), std::move(child_signals), std::move(numbers), init));
    auto nested = NestedNamespaces::create(monitor->numbers_);
    if (!nested) return std::unexpected(std::move(nested).error());
    monitor->nested_ = std::move(*nested);
    monitor->server_.emplace(monitor->listener_, monitor->numbers_, *monitor->nested_, monitor->alarm_,
                             options);
    monitor->server_->look_around(init);
    monitor->watched_ = options.watched;
    return monitor;
}

Monitor::Monitor(Fd listener, Fd child_signals, Numbers numbers, HostPid init)
    : listener_(std::move(listener)),
      child_signals_(std::move(child_signals)),
      numbers_(std::move(numbers)),
      init_(init) {}

// Events: traps (the listeners), stops of threads and ends of processes (waitpid), ends of namespaces, and
// what the caller has beside. A stop that is due within microseconds is awaited in waitpid itself, whose
// wake-up is synchronous: the stopping thread hands its CPU over. Everything else is awaited in poll.
Result<std::optional<int>> Monitor::run(const Beside& beside) {
    beside_ = &beside;
    std::vector<pollfd> events;
    Tracer& tracer = server_->tracer();
    while (!ended_) {
        for (int stops = 0; tracer.busy() && stops < stops_before_traps; ++stops) await_stop();
        const bool unfinished = tracer.unsettled() || server_->has_postponed() || nested_->unfinished();
        const int timeout = tracer.busy() ? 0 : unfinished ? patience_ms : idle_ms;
        events = {{child_signals_.get(), POLLIN, 0}, {nested_->fd(), POLLIN, 0}, {beside.fd, POLLIN, 0}};
        for (const Fd& listener : listener_.all()) events.push_back({listener.get(), POLLIN, 0});
        const int ready = poll(events.data(), events.size(), timeout);
        if (ready < 0 && errno != EINTR) return fail_call(step, "poll");
        if (ready < 0 && !tracer.busy()) alarm_.stop();
        if (unfinished) look_after_unfinished();
        if (ready == 0 && numbers_.collect_stale()) server_->tidy();
        if (ready <= 0) continue;
        if (events[1].revents != 0) nested_->take_ends();
        if (events[0].revents != 0) take_child_signals();
        take_traps(std::span(events).subspan(3));
        if (events[2].revents != 0 && !beside.serve()) return std::optional<int>{};
    }
    return ended_;
}

// By the clock, because traps that keep coming must not put it off.
void Monitor::look_after_unfinished() {
    const auto now = std::chrono::steady_clock::now();
    if (now - looked_after_ < std::chrono::milliseconds(patience_ms)) return;
    looked_after_ = now;
    server_->tracer().give_up_waiting();
    server_->serve_postponed();
    nested_->go_on_ending();
}

void Monitor::take_child_signals() {
    // One: a signal that is pending doesn't become pending again.
    signalfd_siginfo drained{};
    [[maybe_unused]] const ssize_t got = read(child_signals_.get(), &drained, sizeof drained);
    while (take_status(anybody, WNOHANG)) {
    }
}

bool Monitor::take_status(pid_t whose, int options) {
    int status = 0;
    const pid_t thread = waitpid(whose, &status, __WALL | options);
    if (thread <= 0) return false;
    server_->tracer().stopped(HostPid(thread), status);
    if (WIFSTOPPED(status)) return true;
    if (HostPid(thread) == init_) {
        ended_ = status;
        return true;
    }
    numbers_.reported(HostPid(thread));
    if (beside_->ended) beside_->ended(HostPid(thread), status);
    return true;
}

void Monitor::admit(HostPid process, Fd listener) {
    listener_.add(std::move(listener));
    adopt(process);
}

void Monitor::adopt(HostPid process) {
    numbers_.adopt(process, NamespaceId::root, parent_of(process));
    nested_->born(process, NamespaceId::root);
}

// Two vain looks in a row mean that nothing moves: either the alarm came, or the thread has vanished without
// a word. It may also wait for another, whose status nobody has taken yet.
void Monitor::await_stop() {
    alarm_.set();
    const HostPid next = server_->tracer().next_to_stop();
    bool taken = take_status(next == HostPid::none ? anybody : raw(next), 0);
    if (!taken && next != HostPid::none) taken = take_status(anybody, WNOHANG);
    if (taken)
        alarmed_ = false;
    else if (std::exchange(alarmed_, true))
        server_->tracer().give_up_waiting();
}

// First all are received, then they are served: from its receipt on a trap is safe from signals.
void Monitor::take_traps(std::span<const pollfd> listeners) {
    std::array<Trap, 16> traps;
    size_t count = 0;
    for (const pollfd& listener : listeners) {
        bool more = (listener.revents & POLLIN) != 0;
        for (; more && count < traps.size(); more = has_trap(listener.fd))
            if (const auto trap = Listener::receive(listener.fd)) traps.at(count++) = *trap;
        // All of its processes are gone. If they were init's too, init's end will say so.
        if ((listener.revents & (POLLIN | POLLHUP)) == POLLHUP) listener_.drop(listener.fd);
    }
    if (count == 0) return;
    if (numbers_.collect_stale()) server_->tidy();
    for (size_t i = 0; i < count; ++i) serve(traps.at(i));
}

// Programs of a foreign architecture are ended, whatever they call.
void Monitor::serve(const Trap& trap) {
    if (trap.arch == AUDIT_ARCH_X86_64 &&
        std::ranges::find(watched_.calls, trap.number) != watched_.calls.end())
        watched_.arrived(listener_, trap);
    else
        server_->serve(trap);
}

}  // namespace ctr::pidns
