#include "runtime/contact.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>

#include "cgroup/freezer.h"
#include "runtime/base/sys.h"
#include "runtime/control.h"
#include "runtime/gate_messages.h"
#include "runtime/holder.h"
#include "runtime/listing.h"
#include "runtime/report.h"
#include "runtime/signals.h"
#include "runtime/supervisor.h"
#include "runtime/terminal.h"

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

// Readable when one of those has arrived that are meant for the command, which are blocked from now on.
Result<Fd> take_signals() {
    const sigset_t taken = signals::forwarded();
    if (sigprocmask(SIG_BLOCK, &taken, nullptr) != 0) return fail_call("take signals", "sigprocmask");
    return signals::receive(taken);
}

// A command that was ordered, as seen by who stands for it, until its end.
class Execution {
  public:
    Execution(const Fd& connection, Fd signals, const ExecSpec& exec)
        : connection_(connection),
          signals_(std::move(signals)),
          detached_(exec.detached),
          terminal_(exec.terminal ? terminal::modes_of(STDIN_FILENO) : std::nullopt) {}

    Result<Exit> until_end(const std::function<void(HostPid)>& on_started) {
        while (true) {
            const auto relayed = terminal_.interests();
            std::array<pollfd, 5> events{{{connection_.get(), POLLIN, 0},
                                          {process_ ? signals_.get() : -1, POLLIN, 0},
                                          relayed[0],
                                          relayed[1],
                                          relayed[2]}};
            if (poll(events.data(), events.size(), -1) < 0 && errno != EINTR)
                return fail_call("wait for the command", "poll");
            if (events[1].revents != 0) pass_signals();
            terminal_.carry({events[2], events[3], events[4]});
            if (events[0].revents == 0) continue;
            auto report = receive_report(connection_);
            if (!report) return fail_input("wait for the command", "the container's monitor was killed");
            if (auto* failed = std::get_if<Failed>(&*report))
                return std::unexpected(std::move(failed->error));
            if (const auto* ended = std::get_if<Ended>(&*report)) return exit_from(ended->status);
            auto* started = std::get_if<Started>(&*report);
            if (started == nullptr) continue;
            if (on_started) on_started(started->init);
            if (detached_) return Exit{};
            process_ = std::move(started->pidfd);
            if (started->terminal) terminal_.begin(std::move(started->terminal));
        }
    }

  private:
    void pass_signals() {
        signalfd_siginfo info{};
        while (read(signals_.get(), &info, sizeof info) == sizeof info) {
            const auto signal = static_cast<int>(info.ssi_signo);
            if (!terminal_.take_signal(signal)) sys::pidfd_send_signal(process_.get(), signal);
        }
    }

    const Fd& connection_;
    Fd signals_;
    bool detached_;
    terminal::Attachment terminal_;
    Fd process_;
};

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

bool over_before(const Entry& entry, std::chrono::steady_clock::time_point end) {
    while (entry.alive()) {
        if (std::chrono::steady_clock::now() >= end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
}

std::string seconds_of(std::chrono::milliseconds patience) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(patience).count();
    return std::to_string(seconds) + (seconds == 1 ? " second" : " seconds");
}

std::unexpected<Error> no_answer(const Entry& entry, const std::string& how) {
    const auto monitor = find_monitor(entry);
    const std::string number = monitor ? std::to_string(raw(monitor->process)) : "";
    const bool stopped = monitor && monitor->stopped();
    return fail_call(naming(entry, "reach"), "", ETIMEDOUT,
                     "its monitor" + (monitor ? " (process " + number + ")" : "") +
                         (stopped ? " is stopped" : " hasn't answered " + how),
                     (stopped   ? "kill -CONT " + number + "; "
                      : monitor ? "ps -o pid,stat,wchan:20,args " + number + "; "
                                : "") +
                         "ctr kill " + entry.name() + " ends the container all the same");
}

std::unexpected<Error> no_answer(const Entry& entry, std::chrono::milliseconds patience) {
    return no_answer(entry, "in " + seconds_of(patience));
}

bool is_unanswered(const Error& error) {
    return error.err == ETIMEDOUT;
}

// A connection on which the monitor has said something; ETIMEDOUT: it hasn't.
Result<Fd> greet(const Entry& entry, std::chrono::milliseconds patience) {
    auto connection = connect_in(entry.directory(), patience);
    if (!connection) return connection;
    if (!readable(*connection, patience))
        return fail_call("reach the container's monitor", "poll", ETIMEDOUT);
    return connection;
}

const char* meaning_of(char state) {
    switch (state) {
        case 'D': return "waits for a device or file system";
        case 'T':
        case 't': return "is stopped";
        case 'Z': return "has ended and isn't reaped";
        default: return "is still there";
    }
}

// It was killed, and there it is.
std::unexpected<Error> still_there(const Entry& entry, HostPid init, const char* what,
                                   std::chrono::milliseconds patience) {
    constexpr size_t most_named = 3;
    std::string left;
    const auto listing = list_processes({.all = false, .containers = {init}});
    for (size_t i = 0; listing && i < std::min(listing->processes.size(), most_named); ++i) {
        const Process& process = listing->processes[i].process;
        left += (i == 0 ? ": process " : "; process ") + std::to_string(raw(process.here)) + " (" +
                process.comm + ") " + meaning_of(process.state);
    }
    if (left.empty()) left = ": its processes are gone, its monitor or keeper isn't";
    return fail_input(naming(entry, what), "it hasn't ended in " + seconds_of(patience) + left,
                      "ctr ps " + entry.name() + " shows what is left; try again");
}

}  // namespace

Result<Contact> Contact::make(const Entry& entry, std::chrono::milliseconds patience) {
    if (!entry.alive()) return not_running(entry, "reach");
    // One that is stopped isn't waited for any longer.
    const auto first = std::min<std::chrono::milliseconds>(patience, std::chrono::seconds(1));
    auto connection = greet(entry, first);
    if (!connection && is_unanswered(connection.error())) {
        const auto monitor = find_monitor(entry);
        if (patience > first && !(monitor && monitor->stopped())) connection = greet(entry, patience - first);
    }
    if (!connection && is_unanswered(connection.error())) return no_answer(entry, patience);
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

bool Contact::ends_within(std::chrono::milliseconds patience) const {
    return readable(connection_, patience);
}

Result<GateAnswer> Contact::ask(const GateQuestion& question) const {
    const auto asked = ask_gate(connection_, question);
    if (asked && !readable(connection_, answer_patience)) return no_answer(*entry_, answer_patience);
    auto answer = asked ? receive_gate_answer(connection_) : std::unexpected(asked.error());
    // It ends with its monitor, or a moment later.
    if (!answer && readable(init_fd_, std::chrono::milliseconds(200)))
        return fail_input(naming(*entry_, "ask the monitor of"), "it has ended");
    return answer;
}

Result<std::vector<cgroup::ThrottleCounters>> Contact::throttled() const {
    auto answer = ask({});
    if (!answer) return std::unexpected(std::move(answer).error());
    return std::move(answer->counters);
}

Result<std::optional<GateSettings>> Contact::gate() const {
    auto answer = ask({});
    if (!answer) return std::unexpected(std::move(answer).error());
    return std::move(answer->settings);
}

Status Contact::change_gate(const GateSettings& settings) const {
    auto answer = ask({settings});
    if (!answer) return std::unexpected(std::move(answer).error());
    return {};
}

Status Contact::restore_gate(const GateSettings& settings) const {
    return ask_gate(connection_, {settings});
}

Result<std::optional<Exit>> Contact::wait(std::optional<std::chrono::milliseconds> patience) {
    if (!readable(connection_, patience)) return std::nullopt;
    const auto report = receive_report(connection_);
    // By then its name is free again, or says how it ended.
    if (!patience)
        entry_->wait_until_over();
    else if (!over_before(*entry_, std::chrono::steady_clock::now() + usual_patience))
        return still_there(*entry_, init_, "wait for", usual_patience);
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
        ended = wait(usual_patience);
        if (!ended) return std::unexpected(std::move(ended).error());
        if (!*ended) return still_there(*entry_, init_, "stop", usual_patience);
    }
    return **ended;
}

Result<Exit> Contact::execute(const ExecSpec& exec, const std::function<void(HostPid)>& on_started) {
    const auto state = entry_->read();
    if (!state) return std::unexpected(state.error());
    if (state->status == LifeStatus::paused)
        return fail_input(naming(*entry_, "execute a command in"), "it is paused",
                          "ctr resume " + entry_->name());
    auto signals = take_signals();
    if (!signals) return std::unexpected(std::move(signals).error());
    std::array<int, 3> standard{STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
    Fd nothing;
    if (exec.detached) {
        nothing.reset(open("/dev/null", O_RDWR | O_CLOEXEC));
        if (!nothing) return fail_call("open what a detached command reads and writes", "open /dev/null");
        standard.fill(nothing.get());
    }
    if (auto sent = send_order(connection_, exec, standard); !sent)
        return std::unexpected(std::move(sent).error());
    return Execution(connection_, std::move(*signals), exec).until_end(on_started);
}

namespace {

// Its keeper sees to the rest. REASON: why it can't be asked.
Status kill_monitor(const Entry& entry, Error reason, const Notify& notify) {
    const auto monitor = find_monitor(entry);
    if (!monitor) return std::unexpected(std::move(reason));
    if (sys::pidfd_send_signal(monitor->pidfd.get(), SIGKILL) != 0)
        return fail_call(naming(entry, "end") + ": kill its monitor", "pidfd_send_signal");
    if (notify)
        notify({Notice::Kind::warning,
                naming(entry, "end") + ": " + reason.why +
                    ": it was killed, and all that is in the container with it, unasked"});
    if (over_before(entry, std::chrono::steady_clock::now() + answer_patience)) return {};
    return fail_input(
        naming(entry, "end"),
        "its monitor was killed, and its keeper hasn't seen to the rest in " + seconds_of(answer_patience));
}

}  // namespace

Status stop(const Entry& entry, std::chrono::milliseconds patience, const Notify& notify) {
    auto contact = Contact::make(entry, std::max<std::chrono::milliseconds>(patience, usual_patience));
    if (!contact && is_unanswered(contact.error()))
        return kill_monitor(entry, std::move(contact).error(), notify);
    if (!contact) return std::unexpected(std::move(contact).error());
    const auto ended = contact->stop(patience);
    return ended ? Status{} : std::unexpected(ended.error());
}

Status kill(const Entry& entry, const Notify& notify) {
    auto contact = Contact::make(entry);
    if (!contact && is_unanswered(contact.error()))
        return kill_monitor(entry, std::move(contact).error(), notify);
    return contact ? contact->signal(SIGKILL) : std::unexpected(std::move(contact).error());
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

Status remove(const Registry& registry, const Entry& entry) {
    return registry.remove(entry);
}

Status end_and_remove(const Registry& registry, const Entry& entry, std::chrono::milliseconds patience,
                      const Notify& notify) {
    const auto end = std::chrono::steady_clock::now() + patience;
    HostPid init = HostPid::none;
    if (auto contact = Contact::make(entry, std::min<std::chrono::milliseconds>(patience, answer_patience))) {
        init = contact->init();
        (void)contact->signal(SIGKILL);
        (void)contact->ends_within(patience);
    } else if (is_unanswered(contact.error())) {
        (void)kill_monitor(entry, std::move(contact).error(), notify);
    }
    // It may be ending already: then it can't be reached any more.
    if (over_before(entry, end)) return registry.remove(entry);
    if (init == HostPid::none) return no_answer(entry, patience);
    return still_there(entry, init, "remove", patience);
}

}  // namespace ctr
