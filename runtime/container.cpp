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

// The keeper of a container that a program started: in a session of its own, out of reach of the program's
// terminal.
[[noreturn]] void keep_for(const Spec& spec, const Fd& reports, HostPid starter) {
    setsid();
    prctl(PR_SET_NAME, "ctr-keeper");
    close_all_but({reports.get(), spec.status_fd});
    KeeperOptions options;
    const Fd watch(sys::pidfd_open(raw(starter), 0));
    options.starter = watch.get();
    options.on_started = [&](const Started& started) {
        send_report(reports,
                    Started{started.init, Fd(dup(started.pidfd.get())), Fd(dup(started.terminal.get()))});
    };
    options.on_notice = [&](const Notice& notice) { send_report(reports, notice); };
    Result<int> ended = 0;
    if (!watch || getppid() != raw(starter))
        ended = fail_call("watch the starting program", "pidfd_open");
    else
        ended = keep(spec, options);
    if (ended)
        send_report(reports, Ended{*ended});
    else
        send_report(reports, Failed{ended.error()});
    _exit(0);
}

}  // namespace

Container::Container(Fd keeper, Fd reports, HostPid keeper_pid) noexcept
    : keeper_(std::move(keeper)), reports_(std::move(reports)), keeper_pid_(keeper_pid) {}

Result<Container> Container::start(const Spec& spec, const Notify& notify) {
    auto pipe = make_report_pipe();
    if (!pipe) return std::unexpected(std::move(pipe).error());
    const auto self = HostPid(getpid());
    // The program's own handlers must not run in the keeper, which keeps all signals blocked.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t keeper = fork();
    if (keeper == 0) keep_for(spec, pipe->sender, self);
    const int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (keeper < 0) return fail_call("create the keeper", "fork", error);
    pipe->sender.reset();
    // From here on the destructor ends what was begun, whatever happens.
    Container container(Fd(sys::pidfd_open(keeper, 0)), std::move(pipe->receiver), HostPid(keeper));
    if (!container.keeper_) return fail_call("watch the keeper", "pidfd_open");
    while (auto report = receive_report(container.reports_)) {
        if (const auto* notice = std::get_if<Notice>(&*report)) {
            if (notify) notify(*notice);
        } else if (auto* started = std::get_if<Started>(&*report)) {
            container.init_ = started->init;
            container.init_fd_ = std::move(started->pidfd);
            container.terminal_ = std::move(started->terminal);
            return container;
        } else if (auto* failed = std::get_if<Failed>(&*report)) {
            return std::unexpected(std::move(failed->error));
        }
    }
    return fail_call("start the container", "", 0, "its keeper was killed");
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

Result<int> run(const Spec& spec, const Notify& notify) {
    KeeperOptions options;
    options.foreground = true;
    options.on_notice = notify;
    auto ended = keep(spec, options);
    if (!ended) return std::unexpected(std::move(ended).error());
    return exit_from(*ended).status;
}

}  // namespace ctr
