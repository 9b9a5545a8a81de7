#include "runtime/launch.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include <cerrno>

#include "runtime/base/sys.h"
#include "runtime/channel.h"
#include "runtime/child.h"
#include "runtime/explain.h"

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

// Returns twice: 0 in the child, whose descriptor for the parent's use is left in PIDFD.
long create(uint64_t flags, int& pidfd) {
    clone_args args{};
    args.flags = flags | CLONE_PIDFD;
    args.pidfd = reinterpret_cast<uint64_t>(&pidfd);
    // A child of our parent's has the signal that we have.
    args.exit_signal = (flags & CLONE_PARENT) != 0 ? 0 : SIGCHLD;
    return sys::clone_process(args);
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
            case channel::Event::Kind::executing:
                executing = true;
                launched.listener = std::move(event->listener);
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
        if (const auto ready = before_go(launched.pid); !ready) return ready;
    if (const auto sent = channel.go(); !sent) return sent;
    if (const auto running = follow(plan, channel, launched, unfinished); !running) return running;
    unfinished.finished();
    return {};
}

}  // namespace

Result<Launched> launch(const Plan& plan, const BeforeGo& before_go) {
    const std::vector<char*> argv = pointers(plan.argv);
    const std::vector<char*> env = pointers(plan.env);
    const ChildArguments arguments{plan, argv.data(), env.data()};
    auto ends = channel::make();
    if (!ends) return std::unexpected(ends.error());
    auto& [parent_end, child_end] = *ends;

    int pidfd = -1;
    const long pid = create(plan.clone_flags, pidfd);
    if (pid == 0) run_child(arguments, parent_end, std::move(child_end));
    if (pid < 0) {
        auto error = fail_call("create the container's first process in its namespaces", "clone3");
        return std::unexpected(explain(std::move(error.error()), plan));
    }
    child_end.close();
    Launched launched{HostPid{static_cast<int>(pid)}, Fd(pidfd), Fd(), {}};
    if (auto status = lead(plan, before_go, parent_end, launched); !status)
        return std::unexpected(explain(std::move(status.error()), plan));
    return launched;
}

}  // namespace ctr
