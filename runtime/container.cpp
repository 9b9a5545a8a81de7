#include "runtime/container.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "runtime/base/sys.h"
#include "runtime/keeper.h"
#include "runtime/keeper_program.h"
#include "runtime/report.h"
#include "runtime/starter.h"
#include "runtime/state.h"

namespace ctr {

namespace {

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

// By its descriptor: should the program have reaped it, its number may be another child's by now.
void reap(const Fd& keeper) {
    siginfo_t ignored{};
    while (waitid(P_PIDFD, static_cast<id_t>(keeper.get()), &ignored, WEXITED) != 0 && errno == EINTR) {
    }
}

}  // namespace

Container::Container(Fd keeper, Fd reports) noexcept
    : keeper_(std::move(keeper)), reports_(std::move(reports)) {}

Result<Container> Container::start(const Spec& spec, const Notify& notify) {
    auto pipe = make_report_pipe();
    if (!pipe) return std::unexpected(std::move(pipe).error());
    auto keeper = execute_keeper({spec, HostPid(getpid())}, pipe->sender);
    if (!keeper) return std::unexpected(std::move(keeper).error());
    pipe->sender.reset();
    // From here on the destructor ends what was begun, whatever happens.
    Container container(std::move(*keeper), std::move(pipe->receiver));
    auto started = await_start(container.reports_, notify);
    if (!started) return std::unexpected(std::move(started).error());
    container.init_ = started->init;
    container.command_ = started->command;
    container.init_fd_ = std::move(started->pidfd);
    container.terminal_ = std::move(started->terminal);
    return container;
}

Container::~Container() {
    if (!reports_) return;
    // An order to end the container; the keeper ends when everything in it is gone.
    sys::pidfd_send_signal(keeper_.get(), SIGTERM);
    reap(keeper_);
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
    reap(keeper_);
    return result;
}

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
    std::string name = spec.registration->name;
    const auto keeper = execute_keeper({std::move(spec), HostPid::none}, pipe->sender);
    if (!keeper) return std::unexpected(keeper.error());
    reap(*keeper);
    pipe->sender.reset();
    auto started = await_start(pipe->receiver, notify);
    if (!started) return std::unexpected(std::move(started).error());
    return name;
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
