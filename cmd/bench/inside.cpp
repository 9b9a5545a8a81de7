// The wrapper around a measured command, on its side.
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <optional>
#include <sstream>

#include "cmd/bench/inside_record.h"
#include "cmd/bench/measure.h"

namespace ctr::bench {

namespace {

constexpr int failed = 125;

int64_t now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

int64_t microseconds(const timeval& time) {
    return static_cast<int64_t>(time.tv_sec) * 1'000'000 + time.tv_usec;
}

int complain(const std::string& what, int err) {
    std::fprintf(stderr, "ctr bench: %s: %s\n", what.c_str(), std::strerror(err));
    return failed;
}

// The first child of this process that the kernel names; 0: it names none. Async-signal-safe, as the next
// ones.
pid_t any_child() {
    const int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    char digits[32] = {};
    const ssize_t length = read(fd, digits, sizeof digits - 1);
    if (fd >= 0) close(fd);
    pid_t child = 0;
    for (ssize_t i = 0; i < length && digits[i] >= '0' && digits[i] <= '9'; ++i)
        child = child * 10 + (digits[i] - '0');
    return child;
}

// As the end of a container does. Orphans come here: this process is a subreaper.
void end_all_below() {
    for (pid_t child = any_child(); child > 0; child = any_child()) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
}

void end_all(int) {
    end_all_below();
    kill(0, SIGKILL);  // where the kernel names no children, at least the group
}

struct Where {
    bool outside = false;
    pid_t parent = 0;
    int namespaces = 0;
};

std::optional<Where> parse_where(const std::string& text) {
    constexpr std::string_view outside = "outside:";
    if (text == "inside") return Where{};
    if (!text.starts_with(outside)) return {};
    Where where{true, 0, 0};
    std::istringstream words(text.substr(outside.size()));
    std::string word;
    std::getline(words, word, ',');
    if (std::from_chars(word.data(), word.data() + word.size(), where.parent).ptr !=
        word.data() + word.size())
        return {};
    while (std::getline(words, word, ',')) {
        const auto found = std::ranges::find(namespaces(), word, &Namespace::name);
        if (found == namespaces().end()) return {};
        where.namespaces |= found->flag;
    }
    return where;
}

// What the launcher does for containers: the end of whoever measures is the end of all that is measured.
bool follow(pid_t parent) {
    struct sigaction action {};
    action.sa_handler = end_all;
    sigaction(SIGTERM, &action, nullptr);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    return getppid() == parent;
}

// The descriptor for the record, which came as standard input; the command gets an empty one.
int take_channel() {
    const int channel = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (channel < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0) return -1;
    close(null);
    return channel;
}

// In the child. How executing failed goes through PROBLEM, which else is closed by it.
[[noreturn]] void execute(const Words& command, int problem) {
    std::vector<char*> argv;
    argv.reserve(command.size() + 1);
    for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    const int err = errno;
    [[maybe_unused]] const ssize_t written = write(problem, &err, sizeof err);
    _exit(err == ENOENT ? 127 : 126);
}

// Process 1 of a container also reaps what isn't its own.
bool wait_for(pid_t child, int& status, rusage& usage) {
    for (;;) {
        const pid_t ended = wait4(-1, &status, 0, &usage);
        if (ended == child) return true;
        if (ended < 0 && errno != EINTR) return false;
    }
}

std::optional<InsideRecord> run_and_time(const Words& command) {
    int problem[2];
    if (pipe2(problem, O_CLOEXEC) != 0) return {};
    InsideRecord record;
    record.begun = now();
    const pid_t child = fork();
    if (child < 0) return {};
    if (child == 0) execute(command, problem[1]);
    close(problem[1]);
    rusage usage{};
    if (!wait_for(child, record.status, usage)) return {};
    record.wall = now() - record.begun;
    record.user = microseconds(usage.ru_utime);
    record.system = microseconds(usage.ru_stime);
    record.memory = usage.ru_maxrss;
    if (read(problem[0], &record.exec_error, sizeof record.exec_error) < 0) return {};
    close(problem[0]);
    return record;
}

}  // namespace

int measure_inside(const std::vector<std::string>& arguments) {
    const auto where = arguments.size() < 2 ? std::nullopt : parse_where(arguments.front());
    if (!where) return complain("it is ctr bench that calls this", EINVAL);
    if (where->outside && !follow(where->parent)) return failed;
    const int channel = take_channel();
    if (channel < 0) return complain("open /dev/null", errno);
    if (where->namespaces != 0 && unshare(where->namespaces) != 0)
        return complain("make namespaces, which takes CAP_SYS_ADMIN", errno);
    const auto record = run_and_time({arguments.begin() + 1, arguments.end()});
    if (!record) return complain("run the command", errno);
    if (where->outside) end_all_below();
    if (write(channel, &*record, sizeof *record) != sizeof *record)
        return complain("say what it took", errno);
    return WIFEXITED(record->status) ? WEXITSTATUS(record->status) : 128 + WTERMSIG(record->status);
}

}  // namespace ctr::bench
