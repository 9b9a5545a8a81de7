#include "tests/support/process.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "runtime/base/sys.h"

namespace ctr::test {
namespace {

[[noreturn]] void broken(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), "test support: " + what);
}

// Output goes to memory files, not pipes: nothing has to be pumped, and a leaked writer can't block a test.
// Appending, because a program and its children may hold different descriptions after reopening /dev/stdout.
Fd memory_file(const char* name, const std::string& content = {}) {
    Fd file(memfd_create(name, MFD_CLOEXEC));
    if (!file) broken("memfd_create");
    if (!content.empty()) {
        if (write(file.get(), content.data(), content.size()) != static_cast<ssize_t>(content.size()))
            broken("write");
        if (lseek(file.get(), 0, SEEK_SET) != 0) broken("lseek");
    } else if (fcntl(file.get(), F_SETFL, O_APPEND) != 0) {
        broken("fcntl");
    }
    return file;
}

std::string content_of(const Fd& file) {
    std::string text;
    char buffer[8192];
    for (;;) {
        const ssize_t got = pread(file.get(), buffer, sizeof buffer, static_cast<off_t>(text.size()));
        if (got < 0) broken("pread");
        if (got == 0) return text;
        text.append(buffer, static_cast<size_t>(got));
    }
}

[[noreturn]] void child_failed(const char* call, const char* on) {
    dprintf(STDERR_FILENO, "test support: %s %s: %s\n", call, on, strerror(errno));
    _exit(254);
}

[[noreturn]] void become(const Arguments& argv, const RunOptions& options, const Fd& in, const Fd& out,
                         const Fd& err) {
    setpgid(0, 0);
    if (dup2(err.get(), STDERR_FILENO) < 0) _exit(254);
    if (dup2(in.get(), STDIN_FILENO) < 0 || dup2(out.get(), STDOUT_FILENO) < 0) child_failed("dup2", "");
    for (const auto& [key, value] : options.env)
        if (setenv(key.c_str(), value.c_str(), 1) != 0) child_failed("setenv", key.c_str());
    if (options.identity) {
        const auto [uid, gid] = *options.identity;
        if (setgroups(0, nullptr) != 0 || setgid(gid) != 0 || setuid(uid) != 0)
            child_failed("switch user", "");
    }
    if (!options.cwd.empty() && chdir(options.cwd.c_str()) != 0) child_failed("chdir", options.cwd.c_str());

    std::vector<char*> words;
    for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    child_failed("execute", words[0]);
}

std::chrono::steady_clock::time_point deadline(const RunOptions& options) {
    return std::chrono::steady_clock::now() + std::chrono::seconds(options.timeout_seconds);
}

// True when the descriptor became readable (a pidfd: when the process has ended) before the deadline.
bool ended_before(const Fd& pidfd, std::chrono::steady_clock::time_point end) {
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (left.count() <= 0) return false;
        pollfd wanted{pidfd.get(), POLLIN, 0};
        const int ready = poll(&wanted, 1, static_cast<int>(left.count()));
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) broken("poll");
    }
}

std::string from_environment(const char* name) {
    const char* value = getenv(name);
    if (value == nullptr || *value == '\0')
        throw std::runtime_error(std::string(name) +
                                 " is not set: start the tests with ctest, or set it by hand");
    return value;
}

}  // namespace

std::ostream& operator<<(std::ostream& stream, const Outcome& outcome) {
    return stream << "exit code " << outcome.code << "\n--- standard output\n"
                  << outcome.out << "--- standard error\n"
                  << outcome.err << "---";
}

Outcome run(const Arguments& argv, const RunOptions& options) {
    return Background(argv, options).wait();
}

Outcome ctr_run(const Arguments& arguments, const RunOptions& options) {
    Arguments argv{ctr_binary(), "run"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return run(argv, options);
}

Background::Background(const Arguments& argv, RunOptions options)
    : options_(std::move(options)), out_(memory_file("out")), err_(memory_file("err")) {
    if (argv.empty()) throw std::invalid_argument("test support: nothing to run");
    const Fd in = options_.input.empty() ? Fd(open("/dev/null", O_RDONLY | O_CLOEXEC))
                                         : memory_file("in", options_.input);
    if (!in) broken("open /dev/null");
    pid_ = fork();
    if (pid_ < 0) broken("fork");
    if (pid_ == 0) become(argv, options_, in, out_, err_);
    setpgid(pid_, pid_);  // both sides do it, so that it has happened whoever runs first
    pidfd_ = Fd(sys::pidfd_open(pid_, 0));
    if (!pidfd_) broken("pidfd_open");
}

Background::~Background() {
    if (pid_ < 0) return;
    ::kill(-pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

bool Background::running() const {
    pollfd wanted{pidfd_.get(), POLLIN, 0};
    return pid_ >= 0 && poll(&wanted, 1, 0) == 0;
}

void Background::kill(int signal) const {
    if (sys::pidfd_send_signal(pidfd_.get(), signal) != 0) broken("pidfd_send_signal");
}

Outcome Background::wait() {
    if (pid_ < 0) throw std::logic_error("test support: waited for twice");
    const bool in_time = ended_before(pidfd_, deadline(options_));
    if (!in_time) ::kill(-pid_, SIGKILL);
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0)
        if (errno != EINTR) broken("waitpid");
    pid_ = -1;
    Outcome outcome{-1, out(), err()};
    if (in_time) outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return outcome;
}

std::string Background::out() const {
    return content_of(out_);
}
std::string Background::err() const {
    return content_of(err_);
}

bool Background::wait_for_output(const std::string& text) const {
    const auto end = deadline(options_);
    do {
        const bool last_look = !running();
        if (out().find(text) != std::string::npos) return true;
        if (last_look) return false;
        usleep(2000);
    } while (std::chrono::steady_clock::now() < end);
    return false;
}

std::string ctr_binary() {
    return from_environment("CTR_BIN");
}
std::string victim(const std::string& name) {
    return from_environment("CTR_VICTIMS") + "/" + name;
}
std::string example(const std::string& name) {
    return from_environment("CTR_EXAMPLES") + "/" + name;
}

bool available(const std::string& program) {
    if (program.find('/') != std::string::npos) return access(program.c_str(), X_OK) == 0;
    const char* path = getenv("PATH");
    std::istringstream directories(path == nullptr ? "/usr/bin:/bin" : path);
    for (std::string directory; std::getline(directories, directory, ':');)
        if (access((directory + "/" + program).c_str(), X_OK) == 0) return true;
    return false;
}

ScratchDirectory::ScratchDirectory() : path_("/tmp/ctr-test-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) broken("mkdtemp");
    if (chmod(path_.c_str(), 0755) != 0) broken("chmod");
}

ScratchDirectory::~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string ScratchDirectory::copy(const std::string& file) const {
    const std::filesystem::path target =
        std::filesystem::path(path_) / std::filesystem::path(file).filename();
    std::filesystem::copy_file(file, target, std::filesystem::copy_options::overwrite_existing);
    if (chmod(target.c_str(), 0755) != 0) broken("chmod");
    return target.string();
}

}  // namespace ctr::test
