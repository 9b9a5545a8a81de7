#include "runtime/keeper.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <vector>

#include "cgroup/freezer.h"
#include "cgroup/group.h"
#include "cgroup/hierarchy.h"
#include "runtime/base/sys.h"
#include "runtime/control.h"
#include "runtime/facts.h"
#include "runtime/fastpath.h"
#include "runtime/plan.h"
#include "runtime/recorder.h"
#include "runtime/registry.h"
#include "runtime/signals.h"
#include "runtime/status_stream.h"
#include "runtime/subids.h"
#include "runtime/supervisor.h"
#include "runtime/teardown.h"
#include "runtime/terminal.h"

namespace ctr {

namespace {

Result<Plan> plan_for(const Spec& spec, HostFacts& facts, const Notify& notify) {
    if (auto valid = validate(spec); !valid) return std::unexpected(std::move(valid).error());
    if (wants_subids(spec.userns)) subids::read(facts);
    if (may_slow_writers(spec, facts))
        if (auto read = read_listened(facts); !read) return std::unexpected(std::move(read).error());
    auto shared = look_at_shared(spec, facts);
    if (!shared) return std::unexpected(std::move(shared).error());
    auto prepared = fastpath::prepare(spec, facts, fastpath::instrumenter());
    for (const std::string& remark : prepared.remarks)
        if (notify) notify({Notice::Kind::detail, remark});
    auto plan = make_plan(spec, facts, std::move(prepared.placements), std::move(*shared));
    if (plan) plan->monitor.make_copy = std::move(prepared.make_copy);
    return plan;
}

// What has a name can be asked what it uses, and be limited later. v1 takes groups for that, one for each
// controller. Those that limit something are among them: what they limit may turn out to be the write gate's.
void count_too(const std::string& name, CgroupPlan& plan) {
    for (const cgroup::Controller& controller :
         {cgroup::io_controller, cgroup::memory_controller, cgroup::cpu_controller, cgroup::cpu_accounting,
          cgroup::pids_controller}) {
        const auto hierarchy = cgroup::find_hierarchy(controller);
        if (!hierarchy || hierarchy->version != cgroup::Version::v1) continue;
        plan.name = name;
        plan.counted.push_back(controller);
        const std::string directory = hierarchy->own + "/" + name;
        if (std::ranges::count(plan.directories, directory) == 0) plan.directories.push_back(directory);
    }
}

Status find_io_hierarchy() {
    const auto found = cgroup::find_hierarchy(cgroup::io_controller);
    return found ? Status{} : std::unexpected(found.error());
}

Result<CgroupPlan> cgroup_for(const Spec& spec, const cgroup::Limits& limits) {
    CgroupPlan plan;
    const auto controllers = cgroup::controllers_of(limits);
    if (controllers.empty() && !spec.registration) return plan;
    auto name = cgroup::unique_group_name();
    if (!name) return std::unexpected(std::move(name).error());
    if (!controllers.empty()) {
        auto directories = cgroup::possible_directories(*name, controllers);
        if (!directories) return std::unexpected(std::move(directories).error());
        plan = {*name, {}, std::move(*directories), {}};
    }
    if (spec.registration) count_too(*name, plan);
    if (spec.registration) plan.freezers = cgroup::freezer_directories(*name);
    plan.directories.insert(plan.directories.end(), plan.freezers.begin(), plan.freezers.end());
    return plan;
}

Result<State> initial_state(const Spec& spec, const CgroupPlan& cgroup) {
    auto id = spec.registration->name.empty() ? random_name() : spec.registration->name;
    if (!id) return std::unexpected(std::move(id).error());
    State state;
    state.id = std::move(*id);
    state.bundle = spec.rootfs.empty() ? "/" : spec.rootfs;
    state.created = timestamp();
    state.command = spec.command;
    state.pidns = word_for(spec.pidns);
    state.detached = spec.registration->detached;
    state.remove = spec.registration->remove;
    state.stop_signal = spec.stop_signal;
    state.cgroups = cgroup.directories;
    state.limits = with_whole_paths(spec.limits);
    return state;
}

Result<std::optional<Registered>> registered_for(const Spec& spec, const HostFacts& facts,
                                                 const CgroupPlan& cgroup) {
    if (!spec.registration) return std::nullopt;
    const std::string& root = spec.registration->root;
    auto registry = Registry::open(root.empty() ? usual_registry(facts.env) : root);
    if (!registry) return std::unexpected(std::move(registry).error());
    auto state = initial_state(spec, cgroup);
    if (!state) return std::unexpected(std::move(state).error());
    auto entry = registry->create(*state);
    if (!entry) return std::unexpected(std::move(entry).error());
    auto listening = listen_in(entry->directory());
    if (!listening) {
        (void)registry->finish(*entry, {});
        return std::unexpected(std::move(listening).error());
    }
    return Registered{std::move(*registry), std::move(*entry), std::move(*listening)};
}

Result<std::optional<Recorder>> recorder_for(const std::optional<Registered>& registered, const Spec& spec) {
    if (!registered || !spec.registration->detached) return std::nullopt;
    auto log = Log::create(registered->entry.directory());
    if (!log) return std::unexpected(std::move(log).error());
    auto recorder = Recorder::create(std::move(*log), spec.user);
    if (!recorder) return std::unexpected(std::move(recorder).error());
    return std::optional(std::move(*recorder));
}

Status write_started(const Registered& registered, HostPid init) {
    return registered.registry.change(registered.entry, [&](State& state) {
        state.status = LifeStatus::running;
        state.pid = init;
        // Those that could be made.
        std::erase_if(state.cgroups,
                      [](const std::string& group) { return access(group.c_str(), F_OK) != 0; });
        state.started = timestamp();
    });
}

// Blocks all signals and takes those that mean something to a keeper.
Result<Fd> take_over_signals(bool foreground) {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int stop : {SIGTSTP, SIGTTIN, SIGTTOU}) sigdelset(&blocked, stop);
    if (sigprocmask(SIG_SETMASK, &blocked, nullptr) != 0) return fail_call("block signals", "sigprocmask");
    // A caller that ignores SIGCHLD (it survives exec) would have the kernel reap our children unseen.
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    if (sigaction(SIGCHLD, &usual, nullptr) != 0) return fail_call("take back SIGCHLD", "sigaction");
    // A keeper of its own is told by SIGTERM to end the container, whatever its starter ignores.
    if (!foreground && sigaction(SIGTERM, &usual, nullptr) != 0)
        return fail_call("take back SIGTERM", "sigaction");
    return signals::receive(signals::forwarded());
}

// With a supervisor that is to end the container: what is paused by the freezer of v1, for instance, doesn't
// die.
class Patience {
  public:
    int left() const {  // milliseconds
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - Clock::now()).count();
        return static_cast<int>(std::max<int64_t>(left, 0));
    }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point end_ = Clock::now() + std::chrono::seconds(5);
};

// The supervisor as seen from the keeper, until the end of the container.
class Watch {
  public:
    Watch(const KeeperOptions& options, Fd reports, Fd signals, std::optional<terminal::Modes> outer,
          const Registered* registered, Recorder* recorder)
        : options_(options),
          reports_(std::move(reports)),
          signals_(std::move(signals)),
          registered_(registered),
          recorder_(recorder),
          terminal_(outer) {}

    // Nothing: the supervisor has gone without a word; or the starter has, or it wants an end (SIGTERM), and
    // there was no init to end, or its end wasn't the end of all.
    std::optional<Result<int>> until_end() {
        while (true) {
            const auto relayed = terminal_.interests();
            const auto written = recorder_ != nullptr ? recorder_->readable() : std::array{-1, -1};
            std::array<pollfd, 8> events{{{reports_.get(), POLLIN, 0},
                                          {signals_.get(), POLLIN, 0},
                                          {patience_ ? -1 : options_.starter, POLLIN, 0},
                                          {written[0], POLLIN, 0},
                                          {written[1], POLLIN, 0},
                                          relayed[0],
                                          relayed[1],
                                          relayed[2]}};
            const int ready = poll(events.data(), events.size(), patience_ ? patience_->left() : -1);
            if (ready < 0 && errno != EINTR) return fail_call("keep the container", "poll");
            if (patience_ && patience_->left() == 0) return {};
            if (events[1].revents != 0 && !take_signals() && !end_init()) return {};
            if (events[2].revents != 0 && !end_init()) return {};
            if (events[3].revents != 0 || events[4].revents != 0) recorder_->take();
            terminal_.carry({events[5], events[6], events[7]});
            if (events[0].revents == 0) continue;
            std::optional<Report> report = receive_report(reports_);
            if (!report) return {};
            if (auto result = std::visit(*this, std::move(*report))) return result;
        }
    }

    std::optional<Result<int>> operator()(const Notice& notice) {
        if (options_.on_notice) options_.on_notice(notice);
        // Those who started it don't listen any more.
        if (recorder_ != nullptr && init_ && notice.kind == Notice::Kind::warning)
            recorder_->take_notice(notice.text);
        return {};
    }
    std::optional<Result<int>> operator()(Started started) {
        if (registered_ != nullptr)
            if (auto written = write_started(*registered_, started.init); !written)
                return std::unexpected(std::move(written).error());
        if (options_.on_started) options_.on_started(started);
        init_ = std::move(started.pidfd);
        if (options_.foreground && started.terminal) terminal_.begin(std::move(started.terminal));
        for (const int signal : early_) sys::pidfd_send_signal(init_.get(), signal);
        return {};
    }
    std::optional<Result<int>> operator()(Failed failed) { return std::unexpected(std::move(failed.error)); }
    std::optional<Result<int>> operator()(Ended ended) { return ended.status; }

  private:
    // False: it was an order to the keeper itself, to end.
    bool take_signals() {
        signalfd_siginfo info{};
        while (read(signals_.get(), &info, sizeof info) == sizeof info) {
            const auto signal = static_cast<int>(info.ssi_signo);
            if (!options_.foreground && signal == SIGTERM) return false;
            if (!options_.foreground || terminal_.take_signal(signal)) continue;
            if (init_)
                sys::pidfd_send_signal(init_.get(), signal);
            else
                early_.push_back(signal);
        }
        return true;
    }

    // With init ends all else, in the supervisor's good order: were that killed at once, calls that it serves
    // would fail in processes that live a moment longer, and they would complain.
    bool end_init() {
        if (!init_) return false;
        if (!patience_) patience_.emplace();
        sys::pidfd_send_signal(init_.get(), SIGKILL);
        return true;
    }

    const KeeperOptions& options_;
    Fd reports_;
    Fd signals_;
    const Registered* registered_;  // null: it isn't written down
    Recorder* recorder_;            // null: what it writes isn't ours
    Fd init_;
    terminal::Attachment terminal_;
    std::vector<int> early_;            // signals from before there was an init
    std::optional<Patience> patience_;  // once an end was ordered
};

// Until the supervisor is gone, and everything in the container with it. RESULT: what was heard of it, as
// from Watch.
Result<int> conclude(pid_t supervisor, std::optional<Result<int>> result, const Task& task,
                     const std::set<pid_t>& foreign) {
    // An order to end, nobody left to wait for the end, or nothing to be heard of it any more; or an error,
    // which may be the keeper's own.
    if (!result || !*result) kill(supervisor, SIGKILL);
    int status = 0;
    waitpid(supervisor, &status, 0);
    if (result && *result) return std::move(*result);
    end_processes(task.cgroup, foreign);
    (void)cgroup::remove_directories(task.cgroup.directories);
    if (result) return std::move(*result);
    const std::string how = WIFSIGNALED(status) ? "was killed by signal " + std::to_string(WTERMSIG(status))
                                                : "ended with " + std::to_string(WEXITSTATUS(status));
    return fail_input("run the container", "its monitor (host process " + std::to_string(supervisor) + ") " +
                                               how + ", and everything in the container with it");
}

Result<int> run_task(Task& task, const KeeperOptions& options, Fd signals) {
    auto recorder = recorder_for(task.registered, task.spec);
    if (!recorder) return std::unexpected(std::move(recorder).error());
    auto pipe = make_report_pipe();
    if (!pipe) return std::unexpected(std::move(pipe).error());
    // A shell may have left us children of its own (process substitution): they are none of ours.
    const std::set<pid_t> foreign = own_children();
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return fail_call("become the reaper of orphans", "prctl(PR_SET_CHILD_SUBREAPER)");

    std::optional<terminal::Modes> outer;
    if (task.spec.terminal && options.foreground) outer = terminal::modes_of(STDIN_FILENO);
    const auto keeper = HostPid(getpid());
    const pid_t supervisor = fork();
    if (supervisor < 0) return fail_call("create the supervisor", "fork");
    if (supervisor == 0) {
        pipe->receiver.reset();
        if (*recorder) (*recorder)->write_only();
        supervise(task, std::move(pipe->sender), keeper, outer);
    }
    pipe->sender.reset();
    if (task.registered) task.registered->listening.reset();
    if (*recorder) (void)(*recorder)->read_only();
    auto heard = Watch(options, std::move(pipe->receiver), std::move(signals), outer,
                       task.registered ? &*task.registered : nullptr, *recorder ? &**recorder : nullptr)
                     .until_end();
    auto ended = conclude(supervisor, std::move(heard), task, foreign);
    if (*recorder) (*recorder)->take_rest();
    return ended;
}

Result<int> keep_reporting(const Spec& spec, const KeeperOptions& options, Fd signals) {
    auto facts = read_host_facts();
    if (!facts) return std::unexpected(std::move(facts).error());
    auto plan = plan_for(spec, *facts, options.on_notice);
    if (!plan) return std::unexpected(std::move(plan).error());
    auto limiting = choose_limiting(spec, *facts, find_io_hierarchy());
    if (!limiting) return std::unexpected(std::move(limiting).error());
    auto cgroup = cgroup_for(spec, limiting->kernel);
    if (!cgroup) return std::unexpected(std::move(cgroup).error());
    auto registered = registered_for(spec, *facts, *cgroup);
    if (!registered) return std::unexpected(std::move(registered).error());
    Task task{spec,
              std::move(*facts),
              std::move(*plan),
              std::move(*limiting),
              std::move(*cgroup),
              std::move(*registered)};
    auto ended = run_task(task, options, std::move(signals));
    if (!task.registered) return ended;
    const auto exit = ended ? std::optional(exit_from(*ended)) : std::nullopt;
    auto finished = task.registered->registry.finish(task.registered->entry, exit);
    if (ended && !finished) return std::unexpected(std::move(finished).error());
    return ended;
}

}  // namespace

Result<int> keep(const Spec& spec, const KeeperOptions& options) {
    auto signals = take_over_signals(options.foreground);
    if (!signals) return std::unexpected(std::move(signals).error());
    auto status = StatusStream::open(spec.status_fd);
    if (!status) return std::unexpected(std::move(status).error());
    KeeperOptions with_status{options.foreground, options.starter, {}, {}};
    with_status.on_notice = [&](const Notice& notice) {
        if (notice.kind == Notice::Kind::warning) status->warned(notice.text);
        if (options.on_notice) options.on_notice(notice);
    };
    with_status.on_started = [&](const Started& started) {
        status->started(started.init, started.command, spec.registration ? spec.registration->name : "");
        if (options.on_started) options.on_started(started);
    };
    auto ended = keep_reporting(spec, with_status, std::move(*signals));
    if (ended)
        status->exited(exit_from(*ended));
    else
        status->failed(ended.error());
    return ended;
}

}  // namespace ctr
