#include "runtime/supervisor.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "cgroup/removal.h"
#include "pidns/monitor/monitor.h"
#include "runtime/base/sys.h"
#include "runtime/launch.h"
#include "runtime/report.h"
#include "runtime/teardown.h"

namespace ctr {

namespace {

// Readable when the keeper has ended. The number can't mean another process: it was our parent before and after.
Result<Fd> watch_keeper(HostPid keeper) {
    Fd watch(sys::pidfd_open(raw(keeper), 0));
    if (!watch) return fail_call("watch the keeper", "pidfd_open");
    if (getppid() != raw(keeper)) return fail_call("watch the keeper", "getppid", ESRCH, "it was killed");
    return watch;
}

// Where nothing is numbered: only the end of init matters. Nothing: the keeper ended first.
Result<std::optional<int>> wait_for_init(HostPid init, const Fd& keeper) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    const Fd signals(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signals) return fail_call("wait for init", "signalfd");
    std::array<pollfd, 2> events{{{signals.get(), POLLIN, 0}, {keeper.get(), POLLIN, 0}}};
    while (true) {
        int status = 0;
        for (pid_t pid = waitpid(-1, &status, WNOHANG); pid > 0; pid = waitpid(-1, &status, WNOHANG))
            if (HostPid(pid) == init) return status;
        if (poll(events.data(), events.size(), -1) < 0 && errno != EINTR) return fail_call("wait for init", "poll");
        if (events[1].revents != 0) return std::optional<int>{};
        signalfd_siginfo drained{};
        while (read(signals.get(), &drained, sizeof drained) > 0) {
        }
    }
}

Result<std::optional<int>> run_container(const Plan& plan, const cgroup::Group* group, const Fd& reports,
                                         const Fd& keeper) {
    auto launched = launch(plan, [&](HostPid init) -> Status {
        if (!group) return {};
        return group->join(init);
    });
    if (!launched) return std::unexpected(std::move(launched).error());

    std::unique_ptr<pidns::Monitor> monitor;
    if (launched->listener) {
        auto created = pidns::Monitor::create(std::move(launched->listener), launched->pid,
                                              [&](const std::string& text) { send_report(reports, Warning{text}); });
        if (!created) return std::unexpected(std::move(created).error());
        monitor = std::move(*created);
    }
    const HostPid init = launched->pid;
    send_report(reports, Started{init, std::move(launched->pidfd)});
    auto ended = monitor ? monitor->run(keeper.get()) : wait_for_init(init, keeper);
    // Before the monitor goes: calls that wait for it would otherwise fail in processes that are about to be killed.
    end_descendants();
    return ended;
}

}  // namespace

void supervise(const Plan& plan, const cgroup::Group* group, Fd reports, HostPid keeper) {
    // Its own session: a kill of the keeper's whole process group (timeout -s KILL does that) must not take both.
    setsid();
    prctl(PR_SET_NAME, "ctr-monitor");
    Result<std::optional<int>> ended = std::optional<int>{};
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
        ended = fail_call("become the reaper of orphans", "prctl(PR_SET_CHILD_SUBREAPER)");
    } else if (auto watch = watch_keeper(keeper); !watch) {
        ended = std::unexpected(std::move(watch).error());
    } else {
        ended = run_container(plan, group, reports, *watch);
    }
    end_descendants();  // what a failed start has left
    if (!ended) {
        send_report(reports, Failed{std::move(ended).error()});
    } else if (*ended) {
        send_report(reports, Ended{**ended});
    }
    if (group && getppid() != raw(keeper)) (void)cgroup::remove_directories(group->directories());
    _exit(0);
}

}  // namespace ctr
