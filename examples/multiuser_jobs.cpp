#include "examples/multiuser_jobs.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

namespace {

constexpr size_t page = 4096;
using Page = std::array<char, page>;

class Descriptor {
  public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd_ >= 0) close(fd_);
    }
    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }

  private:
    int fd_;
};

bool transfer_all(ssize_t (*call)(int, void*, size_t), int fd, Page& data) {
    for (size_t done = 0; done < data.size();) {
        const ssize_t some = call(fd, data.data() + done, data.size() - done);
        if (some <= 0) return false;
        done += static_cast<size_t>(some);
    }
    return true;
}

bool read_all(int fd, Page& data) {
    return transfer_all([](int from, void* to, size_t size) { return read(from, to, size); }, fd, data);
}

bool write_all(int fd, Page& data) {
    return transfer_all([](int to, void* from, size_t size) { return write(to, from, size); }, fd, data);
}

bool ended_well(pid_t child) {
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

bool compute() {
    constexpr size_t limit = 60000;
    constexpr long primes_below = 6057;
    std::vector<bool> composite(limit);
    long primes = 0;
    for (size_t i = 2; i < limit; ++i) {
        if (composite[i]) continue;
        ++primes;
        for (size_t multiple = i * i; multiple < limit; multiple += i) composite[multiple] = true;
    }
    return primes == primes_below;
}

bool sort() {
    std::vector<uint32_t> numbers(20000);
    uint32_t state = 1;
    for (uint32_t& number : numbers) number = state = state * 1664525U + 1013904223U;
    std::ranges::sort(numbers);
    return std::ranges::is_sorted(numbers);
}

bool fork_and_wait() {
    for (int i = 0; i < 5; ++i) {
        const pid_t child = fork();
        if (child == 0) _exit(0);
        if (!ended_well(child)) return false;
    }
    return true;
}

bool execute() {
    const pid_t child = fork();
    if (child == 0) {
        execlp("true", "true", nullptr);
        _exit(127);
    }
    return ended_well(child);
}

bool file() {
    constexpr int pages = 16;
    const std::string name = "file-" + std::to_string(getpid());
    const Descriptor file(open(name.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!file) return false;
    Page data{};
    bool good = true;
    for (int i = 0; good && i < pages; ++i) {
        data.fill(static_cast<char>('a' + i));
        good = write_all(file.get(), data);
    }
    good = good && fdatasync(file.get()) == 0 && lseek(file.get(), 0, SEEK_SET) == 0;
    for (int i = 0; good && i < pages; ++i)
        good = read_all(file.get(), data) &&
               std::ranges::all_of(data, [i](char byte) { return byte == static_cast<char>('a' + i); });
    return unlink(name.c_str()) == 0 && good;
}

// What is sent comes back from a child.
bool echo(int here, int there) {
    constexpr int times = 20;
    const pid_t child = fork();
    Page data{};
    bool good = true;
    if (child == 0) {
        for (int i = 0; good && i < times; ++i) good = read_all(there, data) && write_all(there, data);
        _exit(good ? 0 : 1);
    }
    for (int i = 0; child > 0 && good && i < times; ++i) {
        data.fill(static_cast<char>(i));
        good = write_all(here, data) && read_all(here, data) && data.back() == static_cast<char>(i);
    }
    return ended_well(child) && good;
}

// One way only: the child counts what comes.
bool pipe_to_child() {
    constexpr int times = 100;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    const Descriptor from(ends[0]);
    const Descriptor to(ends[1]);
    Page data{};
    const pid_t child = fork();
    if (child == 0) {
        bool good = true;
        for (int i = 0; good && i < times; ++i) good = read_all(from.get(), data);
        _exit(good ? 0 : 1);
    }
    bool good = child > 0;
    for (int i = 0; good && i < times; ++i) good = write_all(to.get(), data);
    return ended_well(child) && good;
}

bool local_socket() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
    const Descriptor here(ends[0]);
    const Descriptor there(ends[1]);
    return echo(here.get(), there.get());
}

bool network_socket() {
    const Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const Descriptor here(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    if (!listener || !here || bind(listener.get(), name, size) != 0 || listen(listener.get(), 1) != 0 ||
        getsockname(listener.get(), name, &size) != 0 || connect(here.get(), name, size) != 0)
        return false;
    const Descriptor there(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    return there && echo(here.get(), there.get());
}

volatile sig_atomic_t signals = 0;

bool signal_itself() {
    constexpr int times = 200;
    struct sigaction action {};
    struct sigaction before {};
    action.sa_handler = [](int) { signals = signals + 1; };
    signals = 0;
    if (sigaction(SIGUSR1, &action, &before) != 0) return false;
    bool good = true;
    for (int i = 0; good && i < times; ++i) good = kill(getpid(), SIGUSR1) == 0;
    return sigaction(SIGUSR1, &before, nullptr) == 0 && good && signals == times;
}

bool map_memory() {
    constexpr size_t size = 256 * page;
    void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    auto* const bytes = static_cast<unsigned char*>(memory);
    for (size_t at = 0; at < size; at += page) bytes[at] = 1;
    const auto sum = std::accumulate(bytes, bytes + size, size_t{0});
    return munmap(memory, size) == 0 && sum == size / page;
}

constexpr Job all[] = {
    {"compute", compute},   {"fork", fork_and_wait},        {"execute", execute},
    {"file", file},         {"pipe", pipe_to_child},        {"signal", signal_itself},
    {"memory", map_memory}, {"local socket", local_socket}, {"network socket", network_socket},
    {"sort", sort}};

}  // namespace

std::span<const Job> jobs() {
    return all;
}
