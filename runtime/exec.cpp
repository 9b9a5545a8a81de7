#include "runtime/exec.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>

#include "cgroup/freezer.h"
#include "runtime/base/sys.h"
#include "runtime/launch.h"
#include "runtime/report.h"

namespace ctr {

namespace {

constexpr const char* step = "enter the container";

std::unexpected<Error> cannot_enter() {
    switch (errno) {
        case ESRCH: return fail_call(step, "setns", errno, "its first process is ending");
        case EPERM:
            return fail_call(
                step, "setns", errno,
                "its monitor may not enter its namespaces: that takes CAP_SYS_ADMIN where they were "
                "made, or a user namespace of their own, and no filter that forbids it",
                "start the container with --userns=yes, or what it runs in with --cap-add SYS_ADMIN");
        default: return fail_call(step, "setns");
    }
}

// The command is born where its starter is, with the starter's limits.
Status enter(const ExecPlace& place) {
    for (const std::string& group : place.cgroups)
        if (auto joined = cgroup::join(group, HostPid(getpid())); !joined) return joined;
    if (setrlimit(RLIMIT_NOFILE, &place.descriptors) != 0) return fail_call(step, "setrlimit");
    // CVE-2016-9962: nobody inside may look into this process, which holds descriptors of the host.
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return fail_call(step, "prctl(PR_SET_DUMPABLE)");
    if (place.namespaces != 0 && setns(place.process, static_cast<int>(place.namespaces)) != 0)
        return cannot_enter();
    return {};
}

Status take_standard(const Order& order) {
    for (int fd = 0; fd < static_cast<int>(order.standard.size()); ++fd)
        if (dup2(order.standard.at(static_cast<size_t>(fd)).get(), fd) < 0)
            return fail_call("pass the command its standard descriptors", "dup2");
    return {};
}

[[noreturn]] void start(const Plan& plan, const ExecPlace& place, const Order& order, const Fd& reports) {
    prctl(PR_SET_NAME, "ctr-exec");
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    auto ready = enter(place);
    if (ready) ready = take_standard(order);
    if (!ready) {
        send_report(reports, Failed{std::move(ready).error()});
        _exit(0);
    }
    auto launched = launch(plan, {});
    if (!launched) {
        send_report(reports, Failed{std::move(launched).error()});
        _exit(0);
    }
    const Fd process(dup(launched->pidfd.get()));
    Started started{launched->pid, std::move(launched->pidfd), std::move(launched->terminal),
                    std::move(launched->listener)};
    if (!send_report(reports, std::move(started))) sys::pidfd_send_signal(process.get(), SIGKILL);
    _exit(0);
}

}  // namespace

Result<Fd> start_exec(const Plan& plan, const ExecPlace& place, Order order) {
    auto pipe = make_report_pipe();
    if (!pipe) return std::unexpected(std::move(pipe).error());
    const pid_t starter = fork();
    if (starter < 0) return fail_call("execute the command", "fork");
    if (starter == 0) {
        pipe->receiver.reset();
        start(plan, place, order, pipe->sender);
    }
    return std::move(pipe->receiver);
}

}  // namespace ctr
