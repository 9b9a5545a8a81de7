#include "cmd/bench/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>

#include "cmd/own_environment.h"
#include "runtime/base/fd.h"
#include "runtime/base/sys.h"

namespace ctr::bench {

namespace {

constexpr size_t most_kept = 64U << 10U;
// That a killed container may take to go.
constexpr std::chrono::milliseconds patience(5000);

struct Pipe {
    Fd reading;
    Fd writing;
};

Result<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return fail_call("run a process", "pipe2");
    Pipe made{Fd(ends[0]), Fd(ends[1])};
    if (fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) return fail_call("run a process", "fcntl");
    return made;
}

class Actions {
  public:
    Actions() { posix_spawn_file_actions_init(&actions_); }
    Actions(const Actions&) = delete;
    Actions& operator=(const Actions&) = delete;
    ~Actions() { posix_spawn_file_actions_destroy(&actions_); }
    void place(const Fd& from, int to) { posix_spawn_file_actions_adddup2(&actions_, from.get(), to); }
    void drop(int fd) { posix_spawn_file_actions_addopen(&actions_, fd, "/dev/null", O_WRONLY, 0); }
    void enter(const std::string& directory) {
        posix_spawn_file_actions_addchdir_np(&actions_, directory.c_str());
    }
    const posix_spawn_file_actions_t* get() const { return &actions_; }

  private:
    posix_spawn_file_actions_t actions_{};
};

// A group of its own, and signals as a shell would give them.
class Attributes {
  public:
    explicit Attributes(bool ahead) {
        posix_spawnattr_init(&attributes_);
        sigset_t none;
        sigset_t all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setsigdefault(&attributes_, &all);
        // A session of its own, as every container has one: where the scheduler shares by sessions
        // (autogroup), a command outside would else have less of a busy machine than one inside.
        int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID;
        if (ahead) {
            const sched_param lowest{1};
            posix_spawnattr_setschedpolicy(&attributes_, SCHED_FIFO);
            posix_spawnattr_setschedparam(&attributes_, &lowest);
            flags |= POSIX_SPAWN_SETSCHEDULER;
        }
        posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
    }
    Attributes(const Attributes&) = delete;
    Attributes& operator=(const Attributes&) = delete;
    ~Attributes() { posix_spawnattr_destroy(&attributes_); }
    const posix_spawnattr_t* get() const { return &attributes_; }

  private:
    posix_spawnattr_t attributes_{};
};

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environment_of(const Start& start) {
    auto variables = cmd::own_environment();
    for (const auto& [name, value] : start.environment) {
        const std::string begin = name + "=";
        std::erase_if(variables, [&](const std::string& one) { return one.starts_with(begin); });
        variables.push_back(begin + value);
    }
    return variables;
}

// What has come so far. False: no more will.
bool read_into(std::string& text, const Fd& from) {
    std::array<char, 16384> buffer;
    for (;;) {
        const ssize_t count = read(from.get(), buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return count < 0 && errno == EAGAIN;
        text.append(buffer.data(), static_cast<size_t>(count));
        if (text.size() > 2 * most_kept) text.erase(0, text.size() - most_kept);
    }
}

class Listener {
  public:
    Listener(Pipe channel, Pipe output, Pipe errors)
        : pipes_{std::move(channel.reading), std::move(output.reading), std::move(errors.reading)} {}

    // Until the process has ended, and, if it was stopped, all that had its descriptors.
    Status listen(pid_t process, bool asked, int stop, Ended& ended) {
        const Fd pidfd(sys::pidfd_open(process, 0));
        if (!pidfd) return fail_call("wait for a process", "pidfd_open");
        std::string* const texts[] = {&ended.channel, &ended.output, &ended.errors};
        bool over = false;
        while (!over || (ended.stopped && any_open())) {
            std::array<pollfd, 5> polled{};
            for (size_t i = 0; i < pipes_.size(); ++i) polled[i] = {pipes_[i].get(), POLLIN, 0};
            polled[3] = {over ? -1 : pidfd.get(), POLLIN, 0};
            polled[4] = {ended.stopped ? -1 : stop, POLLIN, 0};
            const int ready = poll(polled.data(), polled.size(),
                                   over || ended.stopped ? static_cast<int>(patience.count()) : -1);
            if (ready < 0 && errno != EINTR) return fail_call("wait for a process", "poll");
            if (ready == 0) break;
            over = over || polled[3].revents != 0;
            if (polled[4].revents != 0) {
                ended.stopped = true;
                kill(process, asked ? SIGTERM : SIGKILL);  // it isn't reaped before this has returned
            }
            for (size_t i = 0; i < pipes_.size(); ++i)
                if ((over || polled[i].revents != 0) && pipes_[i] && !read_into(*texts[i], pipes_[i]))
                    pipes_[i].reset();
        }
        return {};
    }

  private:
    bool any_open() const {
        return std::ranges::any_of(pipes_, [](const Fd& fd) { return static_cast<bool>(fd); });
    }
    std::array<Fd, 3> pipes_;
};

Result<pid_t> spawn(const Start& start, const Pipe& channel, const Pipe& output, const Pipe& errors) {
    Actions actions;
    const Attributes attributes(start.ahead);
    actions.place(channel.writing, STDIN_FILENO);
    if (start.keep_output)
        actions.place(output.writing, STDOUT_FILENO);
    else
        actions.drop(STDOUT_FILENO);
    actions.place(errors.writing, STDERR_FILENO);
    if (!start.directory.empty()) actions.enter(start.directory);
    auto argv = pointers_to(start.line);
    const auto variables = environment_of(start);
    auto environment = pointers_to(variables);
    pid_t process = -1;
    const int problem =
        posix_spawnp(&process, argv[0], actions.get(), attributes.get(), argv.data(), environment.data());
    if (problem == EPERM && start.ahead)
        return fail_call("run it ahead of all else", "sched_setscheduler", problem,
                         "it takes CAP_SYS_NICE, and a cgroup that is allowed real time", "without --ahead");
    if (problem != 0) return fail_call("run " + start.line.front(), "posix_spawn", problem);
    return process;
}

long long now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<long long>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Result<Ended> run_process(const Start& start, int stop) {
    auto channel = make_pipe();
    if (!channel) return std::unexpected(channel.error());
    auto output = make_pipe();
    if (!output) return std::unexpected(output.error());
    auto errors = make_pipe();
    if (!errors) return std::unexpected(errors.error());
    Ended ended;
    ended.begun = now();
    const auto process = spawn(start, *channel, *output, *errors);
    if (!process) return std::unexpected(process.error());
    for (Pipe* pipe : {&*channel, &*output, &*errors}) pipe->writing.reset();
    Listener listener(std::move(*channel), std::move(*output), std::move(*errors));
    const Status listened = listener.listen(*process, start.ends_all, stop, ended);
    kill(*process, SIGKILL);  // it has ended, or didn't when it was asked to
    while (wait4(*process, &ended.status, 0, &ended.usage) < 0)
        if (errno != EINTR) return fail_call("wait for a process", "wait4");
    if (!listened) return std::unexpected(listened.error());
    return ended;
}

std::string tail_of(const std::string& text, size_t lines) {
    size_t end = text.find_last_not_of('\n');
    if (end == std::string::npos) return {};
    size_t begin = end;
    for (; lines > 0 && begin != std::string::npos; --lines)
        begin = begin == 0 ? std::string::npos : text.rfind('\n', begin - 1);
    begin = begin == std::string::npos ? 0 : begin + 1;
    return text.substr(begin, end + 1 - begin);
}

}  // namespace ctr::bench
