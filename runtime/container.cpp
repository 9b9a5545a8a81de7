#include "runtime/container.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "runtime/base/sys.h"
#include "runtime/keeper.h"
#include "runtime/report.h"
#include "runtime/state.h"

namespace ctr {

namespace {

// The embedding program's descriptors must not live on in the keeper: somebody may be waiting for their end.
void close_all_but(std::vector<int> kept) {
    std::ranges::sort(kept);
    unsigned first = STDERR_FILENO + 1;
    for (const int fd : kept) {
        if (fd < static_cast<int>(first)) continue;
        if (static_cast<unsigned>(fd) > first) sys::close_range(first, static_cast<unsigned>(fd) - 1, 0);
        first = static_cast<unsigned>(fd) + 1;
    }
    sys::close_range(first, ~0U, 0);
}

// Readable when this process's parent has ended.
Result<Fd> watch_parent(HostPid parent) {
    Fd watch(sys::pidfd_open(raw(parent), 0));
    if (!watch) return fail_call("watch the parent process", "pidfd_open");
    if (getppid() != raw(parent))
        return fail_call("watch the parent process", "getppid", ESRCH, "it has ended");
    return watch;
}

// The keeper of a container that a program started: in a session of its own, out of reach of the program's
// terminal. STARTER: with whom the container ends; none: with nobody.
[[noreturn]] void keep_for(const Spec& spec, const Fd& reports, HostPid starter) {
    setsid();
    prctl(PR_SET_NAME, "ctr-keeper");
    close_all_but({reports.get(), spec.status_fd});
    KeeperOptions options;
    Fd watch;
    options.on_started = [&](const Started& started) {
        send_report(reports,
                    Started{started.init, Fd(dup(started.pidfd.get())), Fd(dup(started.terminal.get())), {}});
    };
    options.on_notice = [&](const Notice& notice) { send_report(reports, notice); };
    Result<int> ended = 0;
    if (starter != HostPid::none) {
        auto watched = watch_parent(starter);
        if (watched)
            watch = std::move(*watched);
        else
            ended = std::unexpected(std::move(watched).error());
    }
    options.starter = watch.get();
    if (ended) ended = keep(spec, options);
    if (ended)
        send_report(reports, Ended{*ended});
    else
        send_report(reports, Failed{ended.error()});
    _exit(0);
}

// Reads until it is known how the start went.
Result<Started> await_start(const Fd& reports, const Notify& notify) {
    while (auto report = receive_report(reports)) {
        if (const auto* notice = std::get_if<Notice>(&*report)) {
            if (notify) notify(*notice);
        } else if (auto* started = std::get_if<Started>(&*report)) {
            return std::move(*started);
        } else if (auto* failed = std::get_if<Failed>(&*report)) {
            return std::unexpected(std::move(failed->error));
        }
    }
    return fail_call("start the container", "", 0, "its keeper was killed");
}

}  // namespace

Container::Container(Fd keeper, Fd reports, HostPid keeper_pid) noexcept
    : keeper_(std::move(keeper)), reports_(std::move(reports)), keeper_pid_(keeper_pid) {}

Result<Container> Container::start(const Spec& spec, const Notify& notify) {
    auto pipe = make_report_pipe();
    if (!pipe) return std::unexpected(std::move(pipe).error());
    const auto self = HostPid(getpid());
    const pid_t keeper = sys::fork_blocked();
    if (keeper == 0) keep_for(spec, pipe->sender, self);
    if (keeper < 0) return fail_call("create the keeper", "fork");
    pipe->sender.reset();
    // From here on the destructor ends what was begun, whatever happens.
    Container container(Fd(sys::pidfd_open(keeper, 0)), std::move(pipe->receiver), HostPid(keeper));
    if (!container.keeper_) return fail_call("watch the keeper", "pidfd_open");
    auto started = await_start(container.reports_, notify);
    if (!started) return std::unexpected(std::move(started).error());
    container.init_ = started->init;
    container.init_fd_ = std::move(started->pidfd);
    container.terminal_ = std::move(started->terminal);
    return container;
}

Container::~Container() {
    if (!reports_) return;
    // An order to end the container; the keeper ends when everything in it is gone.
    if (keeper_)
        sys::pidfd_send_signal(keeper_.get(), SIGTERM);
    else
        kill(raw(keeper_pid_), SIGTERM);
    reap_keeper();
}

void Container::reap_keeper() const {
    while (waitpid(raw(keeper_pid_), nullptr, 0) < 0 && errno == EINTR) {
    }
}

Status Container::signal(int number) const {
    if (sys::pidfd_send_signal(init_fd_.get(), number) != 0)
        return fail_call("signal the container", "pidfd_send_signal");
    return {};
}

Result<Exit> Container::wait() {
    if (!reports_) return fail_input("wait for the container", "it has been waited for already");
    const Fd reports = std::move(reports_);
    Result<Exit> result =
        fail_call("wait for the container", "", 0, "its keeper was killed; everything in it is ended");
    while (auto report = receive_report(reports)) {
        if (const auto* ended = std::get_if<Ended>(&*report)) result = exit_from(ended->status);
        if (auto* failed = std::get_if<Failed>(&*report)) result = std::unexpected(std::move(failed->error));
    }
    reap_keeper();
    return result;
}

// The keeper is a grandchild: whoever reaps orphans reaps it, and not the program.
Result<std::string> start_detached(Spec spec, const Notify& notify) {
    if (!spec.registration)
        return fail_input("start the container",
                          "nobody could find it again: it is to be written down nowhere");
    spec.registration->detached = true;
    if (spec.registration->name.empty()) {
        auto name = random_name();
        if (!name) return name;
        spec.registration->name = std::move(*name);
    }
    auto pipe = make_report_pipe();
    if (!pipe) return std::unexpected(std::move(pipe).error());
    const pid_t between = sys::fork_blocked();
    if (between == 0) {
        if (fork() == 0) keep_for(spec, pipe->sender, HostPid::none);
        _exit(0);
    }
    if (between < 0) return fail_call("create the keeper", "fork");
    while (waitpid(between, nullptr, 0) < 0 && errno == EINTR) {
    }
    pipe->sender.reset();
    auto started = await_start(pipe->receiver, notify);
    if (!started) return std::unexpected(std::move(started).error());
    return spec.registration->name;
}

Result<int> run(const Spec& spec, const Notify& notify) {
    KeeperOptions options;
    options.foreground = true;
    options.on_notice = notify;
    Fd parent;
    if (spec.die_with_parent) {
        auto watched = watch_parent(HostPid(getppid()));
        if (!watched) return std::unexpected(std::move(watched).error());
        parent = std::move(*watched);
        options.starter = parent.get();
    }
    auto ended = keep(spec, options);
    if (!ended) return std::unexpected(std::move(ended).error());
    return exit_from(*ended).status;
}

}  // namespace ctr
