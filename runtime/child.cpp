// Async-signal-safe: see child.h.
#include "runtime/child.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "pidns/surface/mark.h"
#include "runtime/base/sys.h"

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV  // Linux 5.19
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

namespace ctr {

namespace child {

namespace {

constexpr int not_executable = 126;
constexpr int not_found = 127;
constexpr int first_own_descriptor = 3;

Fault with_code(Fault fault, int exit_code) {
    fault.exit_code = exit_code;
    return fault;
}

struct Finding {
    const char* call = "";
    int error = 0;  // 0: it can be executed
};

Finding examine(const char* path) {
    struct stat status {};
    if (stat(path, &status) != 0) return {"stat", errno};
    if (S_ISDIR(status.st_mode)) return {"stat", EISDIR};
    if (access(path, X_OK) != 0) return {"access", errno};
    return {};
}

void copy(char* to, size_t size, const char* from) {
    const size_t length = strnlen(from, size - 1);
    memcpy(to, from, length);
    to[length] = 0;
}

channel::Failure record_of(const State& state, const Fault& fault) {
    channel::Failure failure;
    failure.step = static_cast<uint32_t>(state.step);
    failure.error = fault.error;
    failure.exit_code = fault.exit_code;
    copy(failure.call, sizeof failure.call, fault.call);
    copy(failure.text, sizeof failure.text, fault.text);
    return failure;
}

[[noreturn]] void report_and_exit(const State& state, const Fault& fault) {
    state.channel.failed(record_of(state, fault));
    _exit(fault.exit_code);
}

Fault announce(State& state) {
    if (state.announced) return {};
    state.announced = true;
    return state.channel.executing(state.listener.get()) == 0 ? Fault{} : failed("sendmsg");
}

}  // namespace

Fault failed(const char* call, const char* text) {
    return {true, call, errno, text, 125};
}
Fault refused(const char* text) {
    return {true, "", 0, text, 125};
}

void note(const State& state, const Fault& fault) {
    state.channel.noted(record_of(state, fault));
}

Fault execute(State&, const action::ChangeDirectory& action) {
    if (action.target.empty())
        return refused("the current directory has been removed, or lies outside of the root: give --workdir");
    if (chdir(action.target.c_str()) != 0) return failed("chdir", action.target.c_str());
    // CVE-2024-21626: a path through /proc/self/fd could lead to a directory outside of the root.
    char buffer[PATH_MAX];
    if (sys::getcwd(buffer, sizeof buffer) < 0) return failed("getcwd", action.target.c_str());
    if (buffer[0] != '/') return refused("the directory lies outside of the container's root");
    return {};
}

Fault execute(State&, const action::SetUmask& action) {
    umask(action.mask);
    return {};
}

// As shells do: in PATH, a file that may not be executed is passed over, but remembered if nothing better
// comes, as is a circle of links; what can't even be looked at (a directory that is closed to the user) isn't
// there.
Fault execute(State& state, const action::FindCommand& action) {
    Finding worst{"stat", ENOENT};
    for (const std::string& candidate : action.candidates) {
        const Finding finding = examine(candidate.c_str());
        if (finding.error == 0 && leads_to(state.own, candidate.c_str()))
            return with_code(refused("it is the program that starts the container, by way of /proc/self/exe"),
                             not_executable);
        if (finding.error == 0) {
            state.command = candidate.c_str();
            return {};
        }
        const bool there = strcmp(finding.call, "access") == 0 || finding.error == ELOOP;
        if (!action.searched || there) worst = finding;
    }
    errno = worst.error;
    if (worst.error == ENOENT || worst.error == ENOTDIR)
        return with_code(failed(worst.call, "there is no such file"), not_found);
    return with_code(failed(worst.call), not_executable);
}

// The caller blocked signals and may ignore some; its command starts as after a login.
Fault execute(State&, const action::ResetSignals&) {
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; ++number) sigaction(number, &standard, nullptr);
    sigset_t none;
    sigemptyset(&none);
    if (sigprocmask(SIG_SETMASK, &none, nullptr) != 0) return failed("sigprocmask");
    return {};
}

// Closed here and not only on exec: nothing of the host is held while the command's file is opened
// (CVE-2024-21626). Without CLOSE_RANGE_CLOEXEC, which 5.10 lacks.
Fault execute(State& state, const action::CloseDescriptors&) {
    state.root.reset();
    state.devices.reset();
    const int kept = state.channel.descriptor();
    const unsigned first =
        kept >= first_own_descriptor ? static_cast<unsigned>(kept) + 1 : first_own_descriptor;
    if (kept > first_own_descriptor &&
        sys::close_range(first_own_descriptor, static_cast<unsigned>(kept) - 1, 0) != 0)
        return failed("close_range");
    if (sys::close_range(first, ~0U, 0) != 0) return failed("close_range");
    return {};
}

Fault execute(State& state, const action::InstallFilter&) {
    const auto& filter = state.arguments.plan.filter;
    if (filter.empty()) return {};
    const sock_fprog program{static_cast<unsigned short>(filter.size()),
                             const_cast<sock_filter*>(filter.data())};
    // SPEC_ALLOW: until Linux 5.15 a filter slows the processor down, for the sake of what it isolates; this
    // one isolates nothing.
    constexpr unsigned needed = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    // WAIT_KILLABLE_RECV: no signal ends a call that the monitor has begun to serve. Linux 5.19.
    int listener = sys::seccomp_set_filter(needed | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, program);
    if (listener < 0 && errno == EINVAL) listener = sys::seccomp_set_filter(needed, program);
    if (listener < 0) return failed("seccomp");
    state.listener.reset(listener);
    return {};
}

// The parent is told before, because the profile may forbid to tell it anything.
Fault execute(State& state, const action::InstallProfile&) {
    const seccomp::Program& profile = state.arguments.plan.profile;
    if (const Fault fault = announce(state); fault.happened) return fault;
    const sock_fprog program{static_cast<unsigned short>(profile.filter.size()),
                             const_cast<sock_filter*>(profile.filter.data())};
    return sys::seccomp_set_filter(profile.flags, program) == 0 ? Fault{} : failed("seccomp");
}

// Marked, as everything after the filter: its monitor begins to serve when the command runs.
Fault execute(State& state, const action::Execute&) {
    if (const Fault fault = announce(state); fault.happened) return fault;
    sys::execve_marked(state.command, state.arguments.argv, state.arguments.env, pidns::mark);
    if (errno == ENOENT)
        return with_code(failed("execve", "the file is there, but not the interpreter that it names"),
                         not_found);
    if (errno == ENOEXEC)
        return with_code(failed("execve", "neither a program for this machine nor a script with a #! line"),
                         not_executable);
    return with_code(failed("execve"), not_executable);
}

Fault execute(State&, const action::Try& action) {
    const char* call = action.make();
    return call == nullptr ? Fault{} : failed(call);
}

// The parent, and with it the monitor, goes on when the channel is closed, as it is by execve.
Fault execute(State& state, const action::Finish& action) {
    if (state.channel.executing(state.listener.get()) != 0) return failed("sendmsg");
    state.listener.reset();
    state.channel.close();
    _exit(action.live == nullptr ? 0 : action.live());
}

}  // namespace child

void run_child(const ChildArguments& arguments, channel::ParentEnd& others, channel::ChildEnd channel) {
    others.close();
    // If the parent died before this call, no signal comes, but the channel is at its end. getppid() can't
    // tell: it is 0 in a new pid namespace.
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (!channel.wait_for_go()) _exit(125);

    constexpr int directory = O_PATH | O_DIRECTORY | O_CLOEXEC;
    child::State state{.arguments = arguments,
                       .channel = channel,
                       .own = find_own_program(),
                       .root = Fd(open("/", directory)),
                       .devices = Fd(open("/dev", directory))};
    const std::vector<Step>& steps = arguments.plan.steps;
    for (; state.step < steps.size(); ++state.step) {
        const child::Fault fault = std::visit(
            [&state](const auto& action) { return child::execute(state, action); }, steps[state.step].action);
        if (fault.happened) child::report_and_exit(state, fault);
    }
    _exit(125);  // a plan without Execute
}

}  // namespace ctr
