// The places of those who wait for the write gate, where signals end their calls (before Linux 5.19: a
// listener that doesn't ask for more has that still), and where they are killed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <thread>

#include "runtime/base/sys.h"
#include "runtime/write_gate.h"
#include "tests/integration/launcher_fixture.h"
#include "tests/integration/scratch_disk.h"

namespace ctr::test {
namespace {

constexpr uint64_t mib = 1 << 20;
constexpr size_t block = 65536;

// A process whose writes are watched by a listener, which the test fetches, before it does its work.
class Writer {
  public:
    explicit Writer(const std::function<void()>& work) {
        void* const shared =
            mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        shared_ = new (shared) Shared;
        pid_ = fork();
        if (pid_ == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            shared_->listener = listen();
            while (!shared_->fetched) usleep(1000);
            work();
            _exit(0);
        }
        while (shared_->listener == 0) usleep(1000);
        const Fd self(sys::pidfd_open(pid_, 0));
        if (shared_->listener > 0)
            listener_.reset(
                static_cast<int>(syscall(SYS_pidfd_getfd, self.get(), shared_->listener.load(), 0)));
        shared_->fetched = true;
    }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    ~Writer() {
        kill(pid_, SIGKILL);
        if (!over_) waitpid(pid_, nullptr, 0);
        munmap(shared_, sizeof(Shared));
    }
    Fd take_listener() { return std::move(listener_); }
    bool over() { return over_ = over_ || waitpid(pid_, nullptr, WNOHANG) == pid_; }

  private:
    struct Shared {
        std::atomic<int> listener{0};
        std::atomic<bool> fetched{false};
    };
    static int listen() {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        sock_filter program[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 1),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
        const int made = sys::seccomp_set_filter(SECCOMP_FILTER_FLAG_NEW_LISTENER,
                                                 {sizeof program / sizeof *program, program});
        return made > 0 ? made : -1;
    }

    Shared* shared_;
    pid_t pid_;
    bool over_ = false;
    Fd listener_;
};

class Places : public testing::Test {
  protected:
    void SetUp() override {
        if (const std::string why = own_mounts(); !why.empty()) GTEST_SKIP() << why;
        auto disk = ScratchDisk::make(place_.path(), 64 * mib);
        if (!disk) GTEST_SKIP() << disk.error().message();
        disk_.emplace(std::move(*disk));
        name_ = place_.path() + "/f";
    }
    WriteGate gate(uint64_t rate) const {
        const cgroup::DeviceNumber number{disk_->loop.major_number(), disk_->loop.minor_number()};
        return std::move(*WriteGate::create({true, {{number, "loop", {.path = "x", .write_bytes = rate}}}}));
    }

    ScratchDirectory place_;
    std::optional<ScratchDisk> disk_;
    std::string name_;
};

// Until the writer has ended, or 20 seconds.
bool serve(Writer& writer, WriteGate& gate, size_t* most = nullptr) {
    Fd fd = writer.take_listener();
    const int number = fd.get();
    const pidns::Listener listener(std::move(fd));
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!writer.over()) {
        if (std::chrono::steady_clock::now() >= end) return false;
        std::array<pollfd, 2> events{{{number, POLLIN, 0}, {gate.fd(), POLLIN, 0}}};
        poll(events.data(), events.size(), 10);
        if ((events[0].revents & POLLIN) != 0)
            if (const auto trap = pidns::Listener::receive(number)) gate.arrived(listener, *trap);
        if ((events[1].revents & POLLIN) != 0) gate.serve();
        if (most != nullptr) *most = std::max(*most, gate.waiting());
    }
    return true;
}

TEST_F(Places, AreKeptWhenASignalEndsTheCall) {
    Writer writer([&] {
        struct sigaction action {};
        action.sa_handler = [](int) {};
        action.sa_flags = SA_RESTART;
        sigaction(SIGALRM, &action, nullptr);
        const itimerval often{{0, 5000}, {0, 5000}};
        setitimer(ITIMER_REAL, &often, nullptr);
        const int file = open(name_.c_str(), O_WRONLY | O_CREAT, 0600);
        static std::array<char, block> bytes;
        for (int i = 0; i < 32; ++i)
            if (write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(block)) _exit(1);
        _exit(0);
    });
    WriteGate gate = this->gate(mib);
    size_t most = 0;
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_TRUE(serve(writer, gate, &most));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(std::filesystem::file_size(name_), 32 * block);
    EXPECT_GE(took.count(), 1.8);
    EXPECT_LE(took.count(), 4.0);
    EXPECT_EQ(most, 1U);
    const auto counters = gate.counters();
    ASSERT_EQ(counters.size(), 1U);
    EXPECT_EQ(counters[0].write_operations, 32U);
}

TEST_F(Places, OfTheKilledAreClearedAway) {
    constexpr int killed = 500;
    Writer writer([&] {
        const int file = open(name_.c_str(), O_WRONLY | O_CREAT, 0600);
        const auto child = [&] {
            const pid_t pid = fork();
            if (pid != 0) return pid;
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            static std::array<char, block> bytes;  // which take hours
            _exit(write(file, bytes.data(), bytes.size()) > 0 ? 0 : 1);
        };
        const pid_t first = child();  // it isn't anybody else's turn
        for (int i = 0; i < killed; ++i) {
            const pid_t pid = child();
            usleep(3000);
            kill(pid, SIGKILL);
            waitpid(pid, nullptr, 0);
        }
        kill(first, SIGKILL);
        _exit(0);
    });
    WriteGate gate = this->gate(1);
    size_t most = 0;
    ASSERT_TRUE(serve(writer, gate, &most));
    EXPECT_GT(most, 10U);
    EXPECT_LE(most, 130U);
}

}  // namespace
}  // namespace ctr::test
