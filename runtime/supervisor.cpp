#include "runtime/supervisor.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include "cgroup/control_file.h"
#include "cgroup/freezer.h"
#include "cgroup/group.h"
#include "pidns/monitor/monitor.h"
#include "runtime/base/sys.h"
#include "runtime/control_server.h"
#include "runtime/exec.h"
#include "runtime/gatekeeper.h"
#include "runtime/isolation.h"
#include "runtime/launch.h"
#include "runtime/overlay.h"
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

// Where nothing is numbered: only the end of init matters. Nothing: it was told to stop.
Result<std::optional<int>> wait_for_init(HostPid init, const pidns::Monitor::Beside& beside) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    const Fd signals(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signals) return fail_call("wait for init", "signalfd");
    std::array<pollfd, 2> events{{{signals.get(), POLLIN, 0}, {beside.fd, POLLIN, 0}}};
    while (true) {
        int status = 0;
        for (pid_t pid = waitpid(-1, &status, WNOHANG); pid > 0; pid = waitpid(-1, &status, WNOHANG)) {
            if (HostPid(pid) == init) return status;
            beside.ended(HostPid(pid), status);
        }
        if (poll(events.data(), events.size(), -1) < 0 && errno != EINTR)
            return fail_call("wait for init", "poll");
        if (events[1].revents != 0 && !beside.serve()) return std::optional<int>{};
        signalfd_siginfo drained{};
        while (read(signals.get(), &drained, sizeof drained) > 0) {
        }
    }
}

// Namespaces inside cost the monitor a descriptor each. Init has the caller's limits: it was made before. The
// limit that was, for what is executed later.
rlimit raise_descriptor_limit() {
    rlimit before{};
    if (getrlimit(RLIMIT_NOFILE, &before) != 0) return {RLIM_INFINITY, RLIM_INFINITY};
    const rlimit most{before.rlim_max, before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &most);
    return before;
}

// The table of numbers is a large file, most of which is never there. It is made before the command can run,
// so that a command which can't be numbered never does; for it the caller's limit must hold.
Result<std::optional<pidns::Numbers>> make_numbers(const Plan& plan) {
    if (!plan.numbered) return std::nullopt;
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

HostPid copier_of(const pidns::Monitor* monitor) {
    return monitor != nullptr ? monitor->raw_programs().copier() : HostPid::none;
}

// What holds the processes together, if they are to be found by their container's name: a group of the v2
// hierarchy that was made for limits can do that too, and a process can be in one group of it only.
Result<std::optional<std::string>> create_freezer(const Task& task,
                                                  const std::optional<cgroup::Group>& group) {
    if (!task.registered) return std::nullopt;
    if (group)
        if (auto found = cgroup::find_freezer(group->directories())) return found;
    auto made = cgroup::make_freezer(task.cgroup.freezers);
    if (!made) return std::unexpected(std::move(made).error());
    return std::optional(std::move(*made));
}

// The one group among these that a process can be born in: v2's.
struct Birthplace {
    std::string path;  // empty: there is none
    Fd directory;
};
Birthplace find_birthplace(const std::vector<std::string>& groups) {
    for (const std::string& path : groups) {
        auto directory = cgroup::Directory::open(path, "find the cgroup to be born in");
        if (directory && cgroup::check_file_system(directory->fd(), path, CGROUP2_SUPER_MAGIC))
            return {path, Fd(fcntl(directory->fd(), F_DUPFD_CLOEXEC, 0))};
    }
    return {};
}

// Where namespaces are refused, and the container can do without, it is planned and launched anew without
// them.
Result<Launched> launch_with_or_without(Task& task, bool gated, const Birthplace& birthplace,
                                        const BeforeGo& before_go, const Notify& notify) {
    if (gated) watch_writes(task.plan);
    auto launched = launch(task.plan, before_go, birthplace.directory);
    if (launched || !isolation::is_dispensable(task.spec, task.facts) ||
        !isolation::is_refusal(launched.error(), task.plan))
        return launched;
    task.facts.no_namespaces = isolation::reason(launched.error());
    auto plan = make_plan(task.spec, task.facts);
    if (!plan) return std::unexpected(std::move(plan).error());
    task.plan = std::move(*plan);
    if (gated) watch_writes(task.plan);
    for (const std::string& warning : task.plan.warnings) notify({Notice::Kind::warning, warning});
    return launch(task.plan, before_go, birthplace.directory);
}

Result<std::optional<int>> run_container(Task& task, const Fd& reports, ControlServer& control) {
    const Notify notify = [&](const Notice& notice) { send_report(reports, notice); };
    auto limited = limit(task.limiting, task.cgroup.name, task.cgroup.counted, notify);
    if (!limited) return std::unexpected(std::move(limited).error());
    const std::optional<cgroup::Group>& group = limited->group;
    Gatekeeper gatekeeper(limited->gate, control);
    const auto freezer = create_freezer(task, group);
    if (!freezer)
        notify({Notice::Kind::detail, "the container can't be paused: " + freezer.error().message()});
    std::vector<std::string> groups;
    if (group) groups = group->directories();
    if (freezer && *freezer && std::ranges::find(groups, **freezer) == groups.end())
        groups.push_back(**freezer);
    auto numbers = make_numbers(task.plan);
    if (!numbers) return std::unexpected(std::move(numbers).error());
    const Birthplace birthplace = find_birthplace(groups);
    const auto join = [&](const Launched& born) -> Status {
        for (const std::string& directory : groups)
            if (!born.in_cgroup || directory != birthplace.path)
                if (auto joined = cgroup::join(directory, born.pid); !joined) return joined;
        return {};
    };
    auto claim = OverlayClaim::make(task.plan);
    if (!claim) return std::unexpected(std::move(claim).error());
    auto launched = launch_with_or_without(task, limited->gate.has_value(), birthplace, join, notify);
    if (!launched) return std::unexpected(std::move(launched).error());
    if (auto confirmed = claim->confirm(); !confirmed) return std::unexpected(std::move(confirmed).error());

    for (const std::string& note : launched->notes) notify({Notice::Kind::detail, note});

    const rlimit descriptors = raise_descriptor_limit();
    std::unique_ptr<pidns::Monitor> monitor;
    if (auto gating = gatekeeper.begin(task.spec, launched->pid); !gating)
        return std::unexpected(std::move(gating).error());
    if (launched->listener && *numbers) {
        pidns::MonitorOptions options = task.plan.monitor;
        options.watched.arrived = gatekeeper.arrival();
        options.warn = [&](const std::string& text) { notify({Notice::Kind::warning, text}); };
        auto created = pidns::Monitor::create(std::move(launched->listener), launched->pid,
                                              std::move(**numbers), options);
        if (!created) return std::unexpected(std::move(created).error());
        monitor = std::move(*created);
        // An init makes the command by a call that isn't translated.
        if (task.spec.init) monitor->adopt(launched->command);
    } else if (launched->listener) {
        if (auto listening = gatekeeper.listen(std::move(launched->listener)); !listening)
            return std::unexpected(std::move(listening).error());
    }
    const HostPid init = launched->pid;
    const Fd pidfd(dup(launched->pidfd.get()));
    // Others enter the namespaces of the command: an init of ours is closed to a user who has no privilege
    // over it. If the command has ended, so does the container.
    const HostPid command = launched->command;
    const bool other = command != init && command != HostPid::none;
    const Fd command_fd(other ? sys::pidfd_open(raw(command), 0) : dup(pidfd.get()));
    send_report(reports,
                Started{init, std::move(launched->pidfd), std::move(launched->terminal), {}, command});
    control.begin(
        init, command, pidfd.get(),
        [&](Order order) -> Result<Fd> {
            auto plan = make_exec_plan(task.spec, task.facts, task.plan, order.exec);
            if (!plan) return std::unexpected(std::move(plan).error());
            return start_exec(*plan, {command_fd.get(), namespaces_of(task.plan), groups, descriptors},
                              std::move(order));
        },
        [&](HostPid process, Fd listener) {
            if (monitor)
                monitor->admit(process, std::move(listener));
            else if (listener)
                (void)gatekeeper.listen(std::move(listener));
        },
        [&](const GateQuestion& question) { return gatekeeper.answer(question); });
    const pidns::Monitor::Beside beside{control.fd(), [&] { return control.serve(); },
                                        [&](HostPid process, int status) { control.ended(process, status); }};
    auto ended = monitor ? monitor->run(beside) : wait_for_init(init, beside);
    if (launched->end && ended && *ended) ended = launched->end->status().value_or(**ended);
    // Before the monitor goes: calls that wait for it would otherwise fail in processes that are about to be
    // killed.
    if (const HostPid copier = copier_of(monitor.get()); copier != HostPid::none) {
        end_processes(task.cgroup, {raw(copier)});
        // Killed each time, it would never get done where containers are short.
        monitor->raw_programs().await_copier(control.keeper());
    }
    end_processes(task.cgroup);
    return ended;
}

}  // namespace

// What is frozen by the freezer of v1 doesn't die before it goes on.
void end_processes(const CgroupPlan& cgroup, const std::set<pid_t>& spared) {
    if (const auto freezer = cgroup::find_freezer(cgroup.freezers)) (void)cgroup::thaw(*freezer);
    end_descendants(spared);
}

void supervise(Task& task, Fd reports, HostPid keeper, const std::optional<terminal::Modes>& outer) {
    // Its own session: a kill of the keeper's whole process group (timeout -s KILL does that) must not take
    // both.
    setsid();
    prctl(PR_SET_NAME, monitor_name);
    Fd listening = task.registered ? std::move(task.registered->listening) : Fd();
    Result<std::optional<int>> ended = std::optional<int>{};
    std::optional<ControlServer> control;
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
        ended = fail_call("become the reaper of orphans", "prctl(PR_SET_CHILD_SUBREAPER)");
    } else if (auto watch = watch_keeper(keeper); !watch) {
        ended = std::unexpected(std::move(watch).error());
    } else if (auto made = ControlServer::create(std::move(listening), std::move(*watch)); !made) {
        ended = std::unexpected(std::move(made).error());
    } else {
        control.emplace(std::move(*made));
        ended = run_container(task, reports, *control);
    }
    end_processes(task.cgroup);  // what a failed start has left
    // The group's own destructor can't remove what still has processes in it.
    (void)cgroup::remove_directories(task.cgroup.directories);
    if (control && ended && *ended) control->over(**ended);
    if (!ended) {
        send_report(reports, Failed{std::move(ended).error()});
    } else if (*ended) {
        send_report(reports, Ended{**ended});
    } else {
        // The keeper is gone, who would have done it.
        if (outer) terminal::restore(*outer);
        if (task.registered) (void)task.registered->registry.finish(task.registered->entry, {});
    }
    _exit(0);
}

}  // namespace ctr
