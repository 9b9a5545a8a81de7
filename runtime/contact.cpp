#include "runtime/contact.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "cgroup/freezer.h"
#include "runtime/base/sys.h"
#include "runtime/control.h"
#include "runtime/report.h"

namespace ctr {

namespace {

std::string naming(const Entry& entry, const char* what) {
    return std::string(what) + " container \"" + entry.name() + "\"";
}

std::unexpected<Error> not_running(const Entry& entry, const char* what) {
    return fail_input(naming(entry, what), "it doesn't run");
}

Result<std::string> freezer_of(const Entry& entry, const char* what) {
    if (!entry.alive()) return not_running(entry, what);
    const auto state = entry.read();
    if (!state) return std::unexpected(state.error());
    if (state->status == LifeStatus::creating) return not_running(entry, what);
    if (auto freezer = cgroup::find_freezer(state->cgroups)) return std::move(*freezer);
    return fail_input(
        naming(entry, what), "it is in no cgroup that could freeze it: none could be made when it started",
        "as root, or with a delegated cgroup: systemd-run --user --scope -p Delegate=yes ctr run ...");
}

// Readable when one of those has arrived, which are blocked from now on.
Result<Fd> take_signals() {
    sigset_t taken;
    sigemptyset(&taken);
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH})
        sigaddset(&taken, signal);
    if (sigprocmask(SIG_BLOCK, &taken, nullptr) != 0) return fail_call("take signals", "sigprocmask");
    Fd signals(signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signals) return fail_call("take signals", "signalfd");
    return signals;
}

bool readable(const Fd& fd, std::optional<std::chrono::milliseconds> patience) {
    const auto end = std::chrono::steady_clock::now() + patience.value_or(std::chrono::milliseconds(0));
    pollfd event{fd.get(), POLLIN, 0};
    while (true) {
        int timeout = -1;
        if (patience) {
            const auto left =
                std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
            timeout = static_cast<int>(std::max<int64_t>(left.count(), 0));
        }
        const int ready = poll(&event, 1, timeout);
        if (ready >= 0) return ready > 0;
    }
}

}  // namespace

Result<Contact> Contact::make(const Entry& entry) {
    if (!entry.alive()) return not_running(entry, "reach");
    auto connection = connect_in(entry.directory());
    if (!connection) return std::unexpected(std::move(connection).error().within(naming(entry, "reach")));
    Contact contact(entry, std::move(*connection));
    auto report = receive_report(contact.connection_);
    auto* started = report ? std::get_if<Started>(&*report) : nullptr;
    if (started == nullptr) return not_running(entry, "reach");
    contact.init_ = started->init;
    contact.command_ = started->command;
    contact.init_fd_ = std::move(started->pidfd);
    return contact;
}

Status Contact::signal(int number) const {
    if (sys::pidfd_send_signal(init_fd_.get(), number) != 0)
        return fail_call(naming(*entry_, "signal"), "pidfd_send_signal");
    if (number != SIGKILL) return {};
    // What is frozen by the freezer of v1 dies when it goes on.
    const auto state = entry_->read();
    if (state && state->status == LifeStatus::paused) return resume(*entry_);
    return {};
}

Result<std::optional<Exit>> Contact::wait(std::optional<std::chrono::milliseconds> patience) {
    if (!readable(connection_, patience)) return std::nullopt;
    const auto report = receive_report(connection_);
    // By then its name is free again, or says how it ended.
    entry_->wait_until_over();
    if (const auto* ended = report ? std::get_if<Ended>(&*report) : nullptr) return exit_from(ended->status);
    return fail_input(naming(*entry_, "wait for"),
                      "its monitor was killed, and everything in the container with it");
}

Result<Exit> Contact::stop(std::chrono::milliseconds patience) {
    const auto state = entry_->read();
    if (!state) return std::unexpected(state.error());
    if (auto sent = signal(state->stop_signal == 0 ? SIGTERM : state->stop_signal); !sent)
        return std::unexpected(std::move(sent).error());
    if (state->status == LifeStatus::paused)
        if (auto resumed = resume(*entry_); !resumed) return std::unexpected(std::move(resumed).error());
    auto ended = wait(patience);
    if (!ended) return std::unexpected(std::move(ended).error());
    if (!*ended) {
        // It may have ended just now.
        (void)signal(SIGKILL);
        ended = wait();
        if (!ended) return std::unexpected(std::move(ended).error());
    }
    return **ended;
}

Result<Exit> Contact::execute(const ExecSpec& exec) {
    const auto state = entry_->read();
    if (!state) return std::unexpected(state.error());
    if (state->status == LifeStatus::paused)
        return fail_input(naming(*entry_, "execute a command in"), "it is paused",
                          "ctr resume " + entry_->name());
    auto signals = take_signals();
    if (!signals) return std::unexpected(std::move(signals).error());
    if (auto sent = send_order(connection_, exec, {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}); !sent)
        return std::unexpected(std::move(sent).error());
    Fd process;
    std::array<pollfd, 2> events{{{connection_.get(), POLLIN, 0}, {-1, POLLIN, 0}}};
    while (true) {
        if (poll(events.data(), events.size(), -1) < 0 && errno != EINTR)
            return fail_call("wait for the command", "poll");
        signalfd_siginfo info{};
        while (events[1].revents != 0 && read(signals->get(), &info, sizeof info) == sizeof info)
            sys::pidfd_send_signal(process.get(), static_cast<int>(info.ssi_signo));
        if (events[0].revents == 0) continue;
        auto report = receive_report(connection_);
        if (!report) return fail_input("wait for the command", "the container's monitor was killed");
        if (auto* failed = std::get_if<Failed>(&*report)) return std::unexpected(std::move(failed->error));
        if (const auto* ended = std::get_if<Ended>(&*report)) return exit_from(ended->status);
        if (auto* started = std::get_if<Started>(&*report)) {
            process = std::move(started->pidfd);
            events[1].fd = signals->get();
        }
    }
}

Status pause(const Entry& entry) {
    const auto freezer = freezer_of(entry, "pause");
    if (!freezer) return std::unexpected(freezer.error());
    return cgroup::freeze(*freezer);
}

Status resume(const Entry& entry) {
    const auto freezer = freezer_of(entry, "resume");
    if (!freezer) return std::unexpected(freezer.error());
    return cgroup::thaw(*freezer);
}

Result<Exit> wait_for(const Entry& entry) {
    if (auto contact = Contact::make(entry)) {
        auto ended = contact->wait();
        if (!ended) return std::unexpected(std::move(ended).error());
        return **ended;
    }
    entry.wait_until_over();
    const auto state = entry.read();
    if (!state) return std::unexpected(state.error());
    if (state->exit) return *state->exit;
    return fail_input(naming(entry, "wait for"),
                      "it was killed together with its monitor; nobody saw how it ended");
}

Status remove(const Registry& registry, const Entry& entry, bool force) {
    if (force) {
        auto contact = Contact::make(entry);
        if (contact) (void)contact->signal(SIGKILL);
        entry.wait_until_over();  // it may be ending already: then it can't be reached any more
    }
    return registry.remove(entry);
}

}  // namespace ctr
