#include "runtime/supervisor.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "cgroup/group.h"
#include "pidns/monitor/monitor.h"
#include "runtime/base/sys.h"
#include "runtime/isolation.h"
#include "runtime/launch.h"
#include "runtime/report.h"
#include "runtime/teardown.h"

namespace ctr {

namespace {

// Readable when the keeper has ended. The number can't mean another process: it was our parent before and
// after.
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
        if (poll(events.data(), events.size(), -1) < 0 && errno != EINTR)
            return fail_call("wait for init", "poll");
        if (events[1].revents != 0) return std::optional<int>{};
        signalfd_siginfo drained{};
        while (read(signals.get(), &drained, sizeof drained) > 0) {
        }
    }
}

// Namespaces inside cost the monitor a descriptor each. Init has the caller's limits: it was made before.
void raise_descriptor_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

// The table of numbers is a large file, most of which is never there. It is made before the command can run,
// so that a command which can't be numbered never does; for it the caller's limit must hold.
Result<std::optional<pidns::Numbers>> make_numbers(const Plan& plan) {
    if (plan.filter.empty()) return std::nullopt;
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit most{before.rlim_max, before.rlim_max};
    const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
    if (setrlimit(RLIMIT_FSIZE, &unlimited) != 0) setrlimit(RLIMIT_FSIZE, &most);
    auto numbers = pidns::Numbers::create(plan.monitor.model, plan.monitor.pid_max);
    setrlimit(RLIMIT_FSIZE, &before);
    if (!numbers) return std::unexpected(std::move(numbers).error());
    return std::optional(std::move(*numbers));
}

Result<std::optional<cgroup::Group>> create_group(const CgroupPlan& plan, const Notify& notify) {
    if (plan.name.empty()) return std::nullopt;
    auto group = cgroup::Group::create(plan.name, cgroup::controllers_of(plan.limits), plan.limits);
    if (!group) return std::unexpected(std::move(group).error());
    for (const std::string& text : group->notes()) notify({Notice::Kind::information, text});
    for (const std::string& text : group->warnings()) notify({Notice::Kind::warning, text});
    return std::optional(std::move(*group));
}

HostPid copier_of(const pidns::Monitor* monitor) {
    return monitor != nullptr ? monitor->raw_programs().copier() : HostPid::none;
}

Result<Launched> launch_in(const std::optional<cgroup::Group>& group, const Plan& plan,
                           const Notify& notify) {
    for (const std::string& warning : plan.warnings) notify({Notice::Kind::warning, warning});
    return launch(plan, [&](HostPid init) -> Status {
        if (!group) return {};
        return group->join(init);
    });
}

Result<std::optional<int>> run_container(const Plan& wanted, const PlanWithout& without,
                                         const CgroupPlan& cgroup, const Fd& reports, const Fd& keeper) {
    const Notify notify = [&](const Notice& notice) { send_report(reports, notice); };
    auto group = create_group(cgroup, notify);
    if (!group) return std::unexpected(std::move(group).error());
    auto numbers = make_numbers(wanted);
    if (!numbers) return std::unexpected(std::move(numbers).error());
    auto launched = launch_in(*group, wanted, notify);
    std::optional<Plan> lesser;
    if (!launched && without && isolation::is_refusal(launched.error(), wanted)) {
        auto plan = without(launched.error());
        if (!plan) return std::unexpected(std::move(plan).error());
        lesser.emplace(std::move(*plan));
        launched = launch_in(*group, *lesser, notify);
    }
    const Plan& plan = lesser ? *lesser : wanted;
    if (!launched) return std::unexpected(std::move(launched).error());

    for (const std::string& note : launched->notes) notify({Notice::Kind::detail, note});

    raise_descriptor_limit();
    std::unique_ptr<pidns::Monitor> monitor;
    if (launched->listener && *numbers) {
        pidns::MonitorOptions options = plan.monitor;
        options.warn = [&](const std::string& text) { notify({Notice::Kind::warning, text}); };
        auto created = pidns::Monitor::create(std::move(launched->listener), launched->pid,
                                              std::move(**numbers), options);
        if (!created) return std::unexpected(std::move(created).error());
        monitor = std::move(*created);
    }
    const HostPid init = launched->pid;
    send_report(reports, Started{init, std::move(launched->pidfd), std::move(launched->terminal)});
    auto ended = monitor ? monitor->run(keeper.get()) : wait_for_init(init, keeper);
    // Before the monitor goes: calls that wait for it would otherwise fail in processes that are about to be
    // killed.
    if (const HostPid copier = copier_of(monitor.get()); copier != HostPid::none) {
        end_descendants({raw(copier)});
        // Killed each time, it would never get done where containers are short.
        monitor->raw_programs().await_copier(keeper.get());
    }
    end_descendants();
    return ended;
}

}  // namespace

void supervise(const Plan& plan, const PlanWithout& without, const CgroupPlan& cgroup, Fd reports,
               HostPid keeper, const std::optional<terminal::Modes>& outer) {
    // Its own session: a kill of the keeper's whole process group (timeout -s KILL does that) must not take
    // both.
    setsid();
    prctl(PR_SET_NAME, monitor_name);
    Result<std::optional<int>> ended = std::optional<int>{};
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
        ended = fail_call("become the reaper of orphans", "prctl(PR_SET_CHILD_SUBREAPER)");
    } else if (auto watch = watch_keeper(keeper); !watch) {
        ended = std::unexpected(std::move(watch).error());
    } else {
        ended = run_container(plan, without, cgroup, reports, *watch);
    }
    end_descendants();  // what a failed start has left
    // The group's own destructor can't remove what still has processes in it.
    (void)cgroup::remove_directories(cgroup.directories);
    if (!ended) {
        send_report(reports, Failed{std::move(ended).error()});
    } else if (!*ended) {
        if (outer) terminal::restore(*outer);
    } else {
        send_report(reports, Ended{**ended});
    }
    _exit(0);
}

}  // namespace ctr
