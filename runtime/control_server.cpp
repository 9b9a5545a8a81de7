#include "runtime/control_server.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace ctr {

namespace {

// Each takes a descriptor or two of the monitor's, which needs them for other things.
constexpr size_t most_connections = 256;

bool is_gone(const Error& error) {
    return error.err == EPIPE || error.err == ECONNRESET;
}

}  // namespace

Result<ControlServer> ControlServer::create(Fd listening, Fd keeper) {
    Fd events(epoll_create1(EPOLL_CLOEXEC));
    if (!events) return fail_call("watch the keeper", "epoll_create1");
    ControlServer server(std::move(events), std::move(listening), std::move(keeper));
    if (auto watched = server.watch(server.keeper_.get()); !watched)
        return std::unexpected(std::move(watched).error());
    return server;
}

void ControlServer::begin(HostPid init, HostPid command, int pidfd, Executor executor, Admit admit,
                          AskGate ask_gate) {
    init_ = init;
    command_ = command;
    pidfd_ = pidfd;
    executor_ = std::move(executor);
    admit_ = std::move(admit);
    ask_gate_ = std::move(ask_gate);
    if (listening_) (void)watch(listening_.get());
}

Status ControlServer::watch(int fd) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (epoll_ctl(events_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
        return fail_call("watch what the supervisor has to serve", "epoll_ctl");
    return {};
}

Status ControlServer::serve_also(int fd, std::function<void()> serve) {
    if (auto watched = watch(fd); !watched) return watched;
    others_[fd] = std::move(serve);
    return {};
}

void ControlServer::serve_no_more(int fd) {
    unwatch(fd);
    others_.erase(fd);
}

bool ControlServer::serve() {
    epoll_event event{};
    if (epoll_wait(events_.get(), &event, 1, 0) != 1) return true;
    const int fd = event.data.fd;
    if (fd == keeper_.get()) return false;
    if (fd == listening_.get()) {
        accept_one();
        return true;
    }
    if (const auto found = others_.find(fd); found != others_.end()) {
        const auto serve_it = found->second;  // which may take it away
        serve_it();
        return true;
    }
    if (const auto found = connections_.find(fd); found != connections_.end()) {
        take_order(found->second);
        return true;
    }
    for (auto& [number, connection] : connections_)
        if (connection.starting.get() == fd) {
            take_start(connection);
            break;
        }
    return true;
}

void ControlServer::accept_one() {
    Fd fd(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd || !is_trusted(fd) || connections_.size() >= most_connections) return;
    if (!send_report(fd, Started{init_, Fd(dup(pidfd_)), {}, {}, command_}) || !watch(fd.get())) return;
    const int number = fd.get();
    connections_[number].fd = std::move(fd);
}

// Whoever goes away before the command has ended takes it along.
void ControlServer::take_order(Connection& connection) {
    if (const auto question = take_gate_question(connection.fd)) {
        const auto answer =
            *question ? ask_gate_(**question) : Result<GateAnswer>(std::unexpected(question->error()));
        const auto answered = answer_gate(connection.fd, answer);
        // Who is gone may have asked for more before.
        if (!answered && !is_gone(answered.error())) end(connection);
        return;
    }
    auto order = receive_order(connection.fd);
    if (!order || connection.starting || connection.process != HostPid::none) return end(connection);
    connection.detached = order->exec.detached;
    if (order->exec.terminal) {
        connection.terminal.reset(dup(order->standard.front().get()));
        connection.modes = terminal::modes_of(connection.terminal.get());
    }
    auto starting = executor_(std::move(*order));
    if (starting && watch(starting->get())) {
        connection.starting = std::move(*starting);
        return;
    }
    if (!starting) send_report(connection.fd, Failed{std::move(starting).error()});
    close(connection.fd.get());
}

void ControlServer::take_start(Connection& connection) {
    auto report = receive_report(connection.starting);
    unwatch(connection.starting.get());
    connection.starting.reset();
    auto* started = report ? std::get_if<Started>(&*report) : nullptr;
    if (started == nullptr) {
        if (!report)
            report = Failed{fail_call("execute the command", "", 0, "its starter was killed").error()};
        send_report(connection.fd, *report);
        return close(connection.fd.get());
    }
    admit_(started->init, std::move(started->listener));
    const auto early = early_.extract(started->init);
    if (connection.detached) {
        send_report(connection.fd, *report);
        return close(connection.fd.get());
    }
    if (early.empty()) connection.process = started->init;
    if (connection.gone || !send_report(connection.fd, *report)) return end(connection);
    if (!early.empty()) {
        send_report(connection.fd, Ended{early.mapped()});
        close(connection.fd.get());
    }
}

// With who ordered a command, that ends. It is a child until it is reaped, so its number is its own. One that
// is just being started is awaited first.
void ControlServer::end(Connection& connection) {
    // Who was killed can't put it back.
    if (connection.modes) terminal::restore(*connection.modes);
    if (connection.starting) {
        connection.gone = true;
        unwatch(connection.fd.get());
        return;
    }
    if (connection.process != HostPid::none) kill(raw(connection.process), SIGKILL);
    close(connection.fd.get());
}

void ControlServer::close(int fd) {
    unwatch(fd);
    connections_.erase(fd);
}

// Not left to the end of the descriptor: a process that is being started may have a copy.
void ControlServer::unwatch(int fd) const {
    epoll_ctl(events_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

// Who was killed takes the command's terminal along, of which the command may die before that is noticed
// here. (The kernel may even close the terminal before the connection; then the caller's terminal stays raw.)
void ControlServer::tell_end(const Connection& connection, int status) {
    if (!send_report(connection.fd, Ended{status}) && connection.modes) terminal::restore(*connection.modes);
}

void ControlServer::ended(HostPid process, int status) {
    bool any_starting = false;
    for (auto& [fd, connection] : connections_) {
        any_starting = any_starting || connection.starting;
        if (connection.process != process) continue;
        tell_end(connection, status);
        return close(fd);
    }
    if (any_starting)
        early_[process] = status;
    else
        early_.clear();
}

void ControlServer::over(int status) {
    for (auto& [fd, connection] : connections_) {
        const bool ordered = connection.process != HostPid::none || connection.starting;
        tell_end(connection, ordered ? SIGKILL : status);
    }
    connections_.clear();
}

}  // namespace ctr
