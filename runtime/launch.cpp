#include "runtime/launch.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/base/sys.h"
#include "runtime/channel.h"
#include "runtime/child.h"
#include "runtime/explain.h"
#include "runtime/subids.h"

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

namespace ctr {

namespace {

// The NULL-terminated arrays that execve wants. The strings stay the plan's; they outlive this.
std::vector<char*> pointers(const std::vector<std::string>& strings) {
    std::vector<char*> array;
    array.reserve(strings.size() + 1);
    for (const std::string& text : strings) array.push_back(const_cast<char*>(text.c_str()));
    array.push_back(nullptr);
    return array;
}

size_t count_sources(const Plan& plan) {
    for (const Step& step : plan.steps)
        if (const auto* held = std::get_if<action::HoldSources>(&step.action)) return held->sources.size();
    return 0;
}

Result<std::optional<CommandEnd>> make_end(const Plan& plan) {
    for (const Step& step : plan.steps) {
        if (!std::holds_alternative<action::LeaveInit>(step.action)) continue;
        auto end = CommandEnd::make();
        if (!end) return std::unexpected(std::move(end).error());
        return std::optional(std::move(*end));
    }
    return std::nullopt;
}

// Until launch() has succeeded, the process is killed and reaped, whatever happens.
class Unfinished {
  public:
    explicit Unfinished(Launched& launched) : launched_(&launched) {}
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;
    ~Unfinished() {
        if (launched_ == nullptr) return;
        sys::pidfd_send_signal(launched_->pidfd.get(), SIGKILL);
        reap();
    }
    void finished() { launched_ = nullptr; }

    // Waits for a process that is known to be ending.
    siginfo_t reap() {
        siginfo_t end{};
        const auto pidfd = static_cast<id_t>(launched_->pidfd.get());
        while (waitid(static_cast<idtype_t>(P_PIDFD), pidfd, &end, WEXITED | __WALL) != 0 && errno == EINTR) {
        }
        launched_ = nullptr;
        return end;
    }

  private:
    Launched* launched_;
};

// Returns twice: 0 in the child. PIDFD: the child's.
long create(uint64_t flags, int& pidfd, int cgroup = -1) {
    clone_args args{};
    args.flags = flags | CLONE_PIDFD;
    if (cgroup >= 0) {
        args.flags |= CLONE_INTO_CGROUP;
        args.cgroup = static_cast<__u64>(cgroup);
    }
    args.pidfd = reinterpret_cast<uint64_t>(&pidfd);
    // A child of our parent's has the signal that we have.
    args.exit_signal = (flags & CLONE_PARENT) != 0 ? 0 : SIGCHLD;
    return cgroup >= 0 ? sys::clone3(args) : sys::clone_process(args);
}

// How the creation of a process went; PID is 0 in that process itself.
struct Birth {
    long pid = -1;
    int error = 0;
    const char* call = "clone3";
    bool in_cgroup = false;
};

Birth birth_of(long pid) {
    return {pid, pid < 0 ? errno : 0};
}

// Where it can't be born in the group (filters, threaded groups, ...) it can be moved, or the move says why
// not.
Birth create_in(uint64_t flags, int& pidfd, const Fd& cgroup) {
    if (cgroup)
        if (const long pid = create(flags, pidfd, cgroup.get()); pid >= 0) return {pid, 0, "clone3", true};
    return birth_of(create(flags, pidfd));
}

// The caller has to stay where it is, so a process in between joins the namespaces. What that one creates is
// the caller's child all the same (CLONE_PARENT), with the same signal at its end.
Birth create_beside(const Shared& shared, uint64_t flags) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return {-1, errno, "pipe2"};
    Fd reader(ends[0]);
    Fd writer(ends[1]);
    const pid_t between = fork();
    if (between < 0) return {-1, errno, "fork"};
    if (between == 0) {
        Birth birth{-1, 0, "setns"};
        if (setns(shared.process.get(), static_cast<int>(shared.foreign)) != 0)
            birth.error = errno;
        else {
            int pidfd = -1;
            birth = birth_of(create(flags | CLONE_PARENT, pidfd));
        }
        if (birth.pid == 0) return birth;
        const ssize_t written = write(writer.get(), &birth, sizeof birth);
        _exit(written == sizeof birth ? 0 : 125);
    }
    writer.reset();
    Birth birth;
    const ssize_t length = read(reader.get(), &birth, sizeof birth);
    while (waitpid(between, nullptr, 0) < 0 && errno == EINTR) {
    }
    return length == sizeof birth ? birth : Birth{-1, ESRCH};
}

Error from_failure(const Plan& plan, const channel::Failure& failure) {
    Error error;
    error.step = failure.step < plan.steps.size() ? plan.steps[failure.step].what : "set the container up";
    error.call = failure.call;
    error.err = failure.error;
    error.why = failure.text;
    error.exit_code = failure.exit_code;
    return error;
}

Error died(const siginfo_t& end) {
    const std::string number = std::to_string(end.si_status);
    Error error;
    error.step = "set the container up";
    error.why = std::string("its first process ") +
                (end.si_pid == 0             ? "ended"  // it is another's child (CLONE_PARENT)
                 : end.si_code == CLD_EXITED ? "ended with " + number
                                             : "was killed by signal " + number) +
                " before it ran the command";
    return error;
}

// Follows the child's reports to the end of the channel.
Status follow(const Plan& plan, const channel::ParentEnd& channel, Launched& launched,
              Unfinished& unfinished) {
    bool executing = false;
    for (;;) {
        auto event = channel.receive();
        if (!event) return std::unexpected(event.error());
        switch (event->kind) {
            case channel::Event::Kind::failed: return std::unexpected(from_failure(plan, event->failure));
            case channel::Event::Kind::noted:
                launched.notes.push_back(from_failure(plan, event->failure).message());
                break;
            case channel::Event::Kind::terminal: launched.terminal = std::move(event->descriptor); break;
            case channel::Event::Kind::executing:
                executing = true;
                launched.listener = std::move(event->descriptor);
                // The command itself has sent it. Looked for among an init's children, it could be taken for
                // an orphan of its own.
                launched.command = event->sender;
                break;
            case channel::Event::Kind::closed:
                if (executing) return {};
                return std::unexpected(died(unfinished.reap()));
        }
    }
}

Status lead(const Plan& plan, const BeforeGo& before_go, const channel::ParentEnd& channel,
            Launched& launched) {
    Unfinished unfinished(launched);
    if (before_go)
        if (const auto ready = before_go(launched); !ready) return ready;
    if (!plan.uids.empty())
        if (auto mapped = subids::write(launched.pid, plan.uids, plan.gids); !mapped) return mapped;
    if (const auto sent = channel.go(); !sent) return sent;
    if (const auto running = follow(plan, channel, launched, unfinished); !running) return running;
    unfinished.finished();
    return {};
}

}  // namespace

Result<Launched> launch(const Plan& plan, const BeforeGo& before_go, const Fd& cgroup) {
    const std::vector<char*> argv = pointers(plan.argv);
    const std::vector<char*> env = pointers(plan.env);
    std::vector<Fd> sources(count_sources(plan));
    auto end = make_end(plan);
    if (!end) return std::unexpected(std::move(end).error());
    const ChildArguments arguments{plan, argv.data(), env.data(), sources.data(),
                                   *end ? (*end)->word() : nullptr};
    auto ends = channel::make();
    if (!ends) return std::unexpected(ends.error());
    auto& [parent_end, child_end] = *ends;

    int pidfd = -1;
    const Birth birth = plan.shared.foreign == 0 ? create_in(plan.clone_flags, pidfd, cgroup)
                                                 : create_beside(plan.shared, plan.clone_flags);
    if (birth.pid == 0) run_child(arguments, parent_end, std::move(child_end));
    if (birth.pid < 0) {
        auto error = fail_call((plan.clone_flags & CLONE_PARENT) != 0
                                   ? "create the command's process in the container"
                                   : "create the container's first process in its namespaces",
                               birth.call, birth.error);
        return std::unexpected(explain(std::move(error.error()), plan));
    }
    child_end.close();
    const auto pid = static_cast<int>(birth.pid);
    // One that was created beside is our own child, and nobody has reaped it: the number is still its own.
    if (pidfd < 0) pidfd = sys::pidfd_open(pid, 0);
    Launched launched{HostPid{pid}, Fd(pidfd), {}, {}, birth.in_cgroup, {}, HostPid{pid}, std::move(*end)};
    if (auto status = lead(plan, before_go, parent_end, launched); !status)
        return std::unexpected(explain(std::move(status.error()), plan));
    return launched;
}

}  // namespace ctr
